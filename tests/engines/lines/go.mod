module walguard.dev/tests/engines/lines

go 1.26.0
