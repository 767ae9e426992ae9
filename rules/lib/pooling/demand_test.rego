package walguard.lib.pooling_demand_test

import data.walguard.lib.pooling

# [[n]] or [] where it is unknown.
opened(databases, more) := [n | some n in found] if {
	found := {n | n := pooling.opened(sprintf("[databases]\n%s\n[pgbouncer]\n%s\n", [databases, more]), {"db", "db-rw"})} with input as {"review": {"object": {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db", "namespace": "shop"}}}}
}

test_one_pool if {
	every more, n in {
		"": 20, "default_pool_size = 7": 7, "default_pool_size=7\ndefault_pool_size = 9": 9, "reserve_pool_size = 5": 25, "reserve_pool_size = 5\nreserve_pool_timeout = 0": 20,
		"reserve_pool_size = 5\nreserve_pool_timeout = 0.0": 20, "reserve_pool_size = 5\nreserve_pool_timeout = 0.5": 25, "max_db_connections = 0": 20, "max_db_connections = 1": 1,
		"max_db_connections = 19": 19, "max_db_connections = 21": 20, "reserve_pool_size = 5\nmax_db_connections = 22": 22, "max_user_connections = 3": 3, "max_user_connections = 0": 20,
		"; default_pool_size = 7": 20, "min_pool_size = 90": 20,
	} {
		opened("shop = host=db", more) == [n]
	}
}

test_each_database if {
	opened("shop = host=db port=5432\nold = host='db-rw.shop.svc.cluster.local' dbname=shop\nelse = host=other\n* = host=db.prod.svc", "") == [40]
	opened("* = host=db pool_size=3", "default_pool_size = 9") == [3]
	opened("* = host=db pool_size='3' reserve_pool_size=2", "reserve_pool_size = 9") == [5]
	opened("* = host=db reserve_pool=2", "") == [22]
	opened("* = host=db min_pool_size=2", "") == [20]
	opened("a = host=db max_db_connections=4\nb = host=db", "") == [24]
	opened("a = host=db\nb = host=db", "max_user_connections = 30") == [30]
}

test_what_is_not_known if {
	every databases in ["* = host=other", "* = host=db.prod.svc", "* = host=db,other", "; * = host=db", "* = dbname=shop", "* = host=db pool_size=${N}", "* = host=${HOST}", "%include /etc/a"] {
		opened(databases, "") == []
	}
	every more in ["default_pool_size = ${N}", "reserve_pool_size = x", "max_db_connections = ${N}", "max_user_connections = ${N}", "%include /etc/a"] {
		opened("* = host=db", more) == []
	}
}
