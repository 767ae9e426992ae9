package walguard.lib.script

import data.walguard.lib.get

# METADATA
# description: True of a text that hides what it runs.
hides(text) if {
	text != ""
	regex.match(hidden, get.lower_case(text))
}

# Decoded, or taken from elsewhere.
hidden := concat("|", [
	`\b(curl|wget|nc|ncat|netcat|socat|aws|gsutil|gcloud|rclone|kubectl|oc)\s[^;\n]*\|\s*(sudo\s+(-\S+\s+)*)?((ba|da|a|z|k)?sh|python[0-9.]*|perl|ruby|node|php|psql)(\s*$|\s*[;&\n"')]|\s+-)`,
	`(^|[\s;&|"'(/])((ba|da|a|z|k)?sh|python[0-9.]*|perl|ruby|node|php|source|eval|\.)\s[^;&\n]*([$<]\(|\x60)\s*(curl|wget|nc|ncat|socat|aws|gsutil|kubectl|oc)\s`,
	`(?s)\b(curl|wget)\s[^;&|]*(\s-\w*o|\s--output(-document)?[= ]|>)\s*["']?/?\S+.*((^|[;&|\n])\s*(\.|source|(ba|da|a|z)?sh)\s+(-\S+\s+)*["']?[/$~.\w]|\bchmod\s+(\S*\+x|0?7))`,
	`\bprintf\s+["']?(%[sb])+["']?(\s+["'][^"'\n|]*["']){2,}\s*\|\s*(\S*/)?(psql|postgres\s+--single)\b`,
	`/dev/tcp/\S[^\n]*\b(ba)?sh\b`,
	`\bbase64\s+(-d|--decode|-di)\b[^;\n]*\|\s*(ba|da|a)?(sh|psql)\b`,
	`\bp?sql\b[^;\n]*(<\(|\b(base64|base32|xxd|openssl|uudecode)\b)`,
	`(?s)\b(python[0-9.]*|perl|ruby|php|node)\b.*\b(exec|eval)\b.*\b(b64decode|base64_decode|unpack|atob|fromhex|decompress|chr|fromcharcode|urlopen|urlretrieve)\b`,
	`[$]'[^'\n]*\\(x[0-9a-f]|[0-7]{3})`,
	`\b(curl|wget)\b[^;\n]*\|\s*((ba|da|a)?sh|psql)\b`,
	`\|\s*rev\s*(\||[)\x60])|\bxxd\s+-\S*r\S*[^;\n]*\|\s*psql\b|\btr\s+\S*a-z\S*\s+\S*n-z\S*|\bprintf\b[^;\n]*\\(x[0-9a-f]|[0-7]{3})[^;\n]*\|\s*psql\b`,
	`\b(base64|base32|xxd|openssl|uudecode|gunzip|zcat|rev|tr|printf)\b[^;\n]*\|\s*(ba|da|a|z)?sh(\s*$|\s*[;&\n]|\s+-)`,
	`\beval\b[^;\n]*\b(base64|base32|xxd|openssl|uudecode|rev|tr|curl|wget)\b`,
	`(?s)\b(base64\s+(-d|--decode|-di)|base32\s+(-d|--decode)|xxd\s+-r|uudecode|openssl\s+(base64|enc)\s[^|;\n]*-d)\b[^|]*>\s*\S+.*((^|[;&|\n])\s*(\.|source|(ba|da|a|z)?sh)\s+(-\S+\s+)*["']?[/$~.\w]|\bchmod\s+(\S*\+x|0?7)|\bpsql\b[^;\n]*(-f|<))`,
])
