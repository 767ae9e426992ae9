# Generated from the METADATA of the checks by "make generate". Do not edit.
package walguard

catalogue := {
	"checks": {"durability/full_page_writes": {"settings": {"backup_window_hours": {"default": 24}, "restore_window_days": {"default": 30}}, "severity": "error"}},
}
