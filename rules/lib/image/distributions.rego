# Generated from distributions.json by "make generate". Do not edit.
package walguard.lib.image

distributions := {
	"rows": {
		"alpine": {"date": "2026-11-22", "family": "musl", "source": "https://wiki.musl-libc.org/functional-differences-from-glibc.html"},
		"bookworm": {"date": "2026-11-22", "family": "glibc", "source": "https://packages.debian.org/bookworm/libc6", "version": "2.36"},
		"bullseye": {"date": "2026-11-22", "family": "glibc", "source": "https://packages.debian.org/bullseye/libc6", "version": "2.31"},
		"buster": {"date": "2026-11-22", "family": "glibc", "source": "https://packages.debian.org/buster/libc6", "version": "2.28"},
		"focal": {"date": "2026-11-22", "family": "glibc", "source": "https://packages.ubuntu.com/focal/libc6", "version": "2.31"},
		"jammy": {"date": "2026-11-22", "family": "glibc", "source": "https://packages.ubuntu.com/jammy/libc6", "version": "2.35"},
		"noble": {"date": "2026-11-22", "family": "glibc", "source": "https://packages.ubuntu.com/noble/libc6", "version": "2.39"},
		"stretch": {"date": "2026-11-22", "family": "glibc", "source": "https://packages.debian.org/stretch/libc6", "version": "2.24"},
		"trixie": {"date": "2026-11-22", "family": "glibc", "source": "https://packages.debian.org/trixie/libc6", "version": "2.41"},
		"ubi10": {"date": "2026-11-22", "family": "glibc", "source": "https://docs.redhat.com/en/documentation/red_hat_enterprise_linux/10", "version": "2.39"},
		"ubi7": {"date": "2026-11-22", "family": "glibc", "source": "https://docs.redhat.com/en/documentation/red_hat_enterprise_linux/7", "version": "2.17"},
		"ubi8": {"date": "2026-11-22", "family": "glibc", "source": "https://docs.redhat.com/en/documentation/red_hat_enterprise_linux/8", "version": "2.28"},
		"ubi9": {"date": "2026-11-22", "family": "glibc", "source": "https://docs.redhat.com/en/documentation/red_hat_enterprise_linux/9", "version": "2.34"},
	},
	"title": "C libraries of distributions",
}
