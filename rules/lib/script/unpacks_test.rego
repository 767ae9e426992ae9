package walguard.lib.script_test

import data.walguard.lib.script

test_files_that_nobody_names if {
	every text in [
		"tar xzf /tmp/a.tgz -C /d",
		"tar -x -f a.tar --directory=/d/pgdata",
		"tar xf a.tar -C /",
		"bsdtar -xf a.tar -C /var/lib",
		"unzip -o a.zip -d /d/pgdata",
		"cd /d/pgdata && tar xzf /tmp/a.tgz",
		"mkdir -p /d/pgdata; cd \"/d/pgdata\"; wget -qO- http://x/a.tgz | tar xz",
		"cd /d\nunzip -o /tmp/a.zip",
		"cd /d && git init && git pull http://x/y",
		"cd /d; wget -r -nH http://x/",
		"cd /d && curl -sJO http://x/latest",
		"git clone --depth 1 http://x/y /d/conf.d",
		"git --work-tree=/d checkout -f",
		"git -C /d pull",
		"wget -qP /d http://x/latest",
		"curl -s --output-dir /d -O http://x/latest",
		"aws s3 sync s3://b/conf /d/",
		"aws s3 cp s3://b/conf /d --recursive",
		"gsutil -m rsync -r gs://b/x /d",
		"gcloud storage cp gs://b/x /d; true",
		"rclone copy r:b/x /d/pgdata",
		"mc cp --recursive m/b/x /d/",
		"rsync -a rsync://x/y /d/",
		"rsync -a h:/y /d > /dev/null",
		"oras pull ghcr.io/x/y:1 -o /d",
		"7z x a.7z -o/d",
		"unsquashfs -f -d /d a",
		"unrar x a.rar /d",
	] {
		script.unpacks(text, "/d")
	}
}

test_what_goes_elsewhere if {
	every text in [
		"tar xzf /c/tools.tgz -C /tools",
		"tar czf /backup/x.tgz /d",
		"cd /d && tar czf /backup/x.tgz .",
		"cd /d && ls; echo tar x",
		"git clone http://x/s /d/scripts",
		"git clone http://x/s /data",
		"aws s3 cp s3://b/app.dump.gz /d/app.dump.gz",
		"aws s3 cp /d/a s3://b/a",
		"mc cp --recursive /d/pgdata m/b/x",
		"rclone copy /d r:b/x",
		"rsync -a /d/ h:/backup/",
		"gsutil cp /d/x gs://b/x",
		"wget -P /d/backups http://x/latest",
		"curl -so /d/x http://x/latest",
	] {
		not script.unpacks(text, "/d")
	}
}
