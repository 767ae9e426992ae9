# METADATA
# description: |
#   Names of time zones that Debian has kept apart since trixie, in tzdata-legacy, which images of PostgreSQL do not have: a server there knows none of them. The most usual of them.
# related_resources:
#   - https://packages.debian.org/trixie/all/tzdata-legacy/filelist
#   - https://github.com/docker-library/postgres/issues/1355
package walguard.lib.zones

import data.walguard.lib.get

# METADATA
# description: The name that the zone has today, undefined of one that is no former name.
today(name) := current[get.lower_case(name)]

current := {
	"asia/calcutta": "Asia/Kolkata",
	"asia/katmandu": "Asia/Kathmandu",
	"asia/macao": "Asia/Macau",
	"asia/rangoon": "Asia/Yangon",
	"asia/saigon": "Asia/Ho_Chi_Minh",
	"america/buenos_aires": "America/Argentina/Buenos_Aires",
	"america/indianapolis": "America/Indiana/Indianapolis",
	"australia/act": "Australia/Sydney",
	"australia/nsw": "Australia/Sydney",
	"australia/queensland": "Australia/Brisbane",
	"australia/south": "Australia/Adelaide",
	"australia/victoria": "Australia/Melbourne",
	"australia/west": "Australia/Perth",
	"brazil/east": "America/Sao_Paulo",
	"brazil/west": "America/Manaus",
	"canada/atlantic": "America/Halifax",
	"canada/central": "America/Winnipeg",
	"canada/eastern": "America/Toronto",
	"canada/mountain": "America/Edmonton",
	"canada/pacific": "America/Vancouver",
	"chile/continental": "America/Santiago",
	"europe/kiev": "Europe/Kyiv",
	"hongkong": "Asia/Hong_Kong",
	"iran": "Asia/Tehran",
	"israel": "Asia/Jerusalem",
	"japan": "Asia/Tokyo",
	"nz": "Pacific/Auckland",
	"prc": "Asia/Shanghai",
	"poland": "Europe/Warsaw",
	"portugal": "Europe/Lisbon",
	"rok": "Asia/Seoul",
	"singapore": "Asia/Singapore",
	"turkey": "Europe/Istanbul",
	"us/alaska": "America/Anchorage",
	"us/arizona": "America/Phoenix",
	"us/central": "America/Chicago",
	"us/eastern": "America/New_York",
	"us/hawaii": "Pacific/Honolulu",
	"us/michigan": "America/Detroit",
	"us/mountain": "America/Denver",
	"us/pacific": "America/Los_Angeles",
}
