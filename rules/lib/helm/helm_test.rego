package walguard.lib.helm_test

import data.walguard.lib.helm

hooked(hooks, weight) := {"metadata": {"annotations": {"helm.sh/hook": hooks, "helm.sh/hook-weight": weight}}}

labelled(labels) := {"metadata": {"labels": labels}}

test_hooks_before_an_install if {
	helm.before_install(hooked("pre-install", ""))
	helm.before_install(hooked("pre-upgrade,pre-install", ""))
	not helm.before_install(hooked("post-install", ""))
	not helm.before_install({"metadata": {}})
	not helm.hooks({"metadata": {}})
}

test_weights if {
	helm.weight(hooked("pre-install", "-5")) == -5
	helm.weight(hooked("pre-install", "12")) == 12
	helm.weight(hooked("pre-install", "{{ .Values.weight }}")) == 0
	helm.weight({}) == 0
}

test_common_release if {
	helm.common_release(labelled({"release": "shop"}), labelled({"release": "shop", "app": "x"})) == "shop"
	helm.common_release(labelled({"app.kubernetes.io/instance": "a", "release": "shop"}), labelled({"release": "shop"})) == "shop"
	not helm.common_release(labelled({"release": "shop"}), labelled({"release": "store"}))
	not helm.common_release(labelled({"release": ""}), labelled({"release": ""}))
	not helm.common_release(labelled({"release": "shop"}), labelled({"app.kubernetes.io/instance": "shop"}))
	not helm.common_release({}, {})
}
