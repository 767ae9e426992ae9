# METADATA
# title: Plain workloads
# description: |
#   PostgreSQL without an operator: a StatefulSet, Deployment, DaemonSet, ReplicaSet or Pod (in files also those of OpenKruise and OpenShift, of API versions that are gone, an Argo
#   Rollout, what stands inside other objects (walguard.lib.carried), a ReplicationController and an InstanceSet or an Instance of KubeBlocks that no Component made, whose pods a live cluster shows) that starts a server from a known image – the official one and
#   those made from it (postgis, pgvector, timescaledb, timescaledb-ha), Bitnami's as their charts render them, Red Hat's (sclorg), spilo with SPILO_CONFIGURATION, Postgres Pro,
#   AppOS and PolarDB –, from an image of another name by PostgreSQL's own program or directory, or Patroni, in one of them (the chart timescaledb-single) or in an image of any name by its variables. Parameters are read from ConfigMaps and Secrets
#   in sight that are mounted where the server or Patroni looks, from the environment of Bitnami's image and from the command line. What
#   a command starts that cannot be read is judged without its parameters, which is said; what an operator made is not judged. Several instances of a StatefulSet are a cluster
#   only with repmgr or Patroni. A pod without a server, also of a Job or a CronJob, is a change where it says ALTER SYSTEM to PostgreSQL or writes the configuration of
#   a server on a volume. Where it runs clients or poolers and no server is in sight in its namespace, what they say of themselves is judged: addresses, the pooler's own
#   configuration, dumps, keys that a Secret does not have. Otherwise it is nothing.
# related_resources:
#   - https://github.com/docker-library/docs/blob/master/postgres/README.md
#   - https://github.com/bitnami/containers/tree/main/bitnami/postgresql
#   - https://www.postgresql.org/docs/current/app-postgres.html
# custom:
#   kinds:
#     - {group: apps, versions: [v1], kind: StatefulSet, plural: statefulsets, namespaced: true, role: cluster, contains: &servers [postgres, pgadmin, immich, dify-api, timescaledb, postgis, pgvector, spilo, polardb, appos, psql, patroni, pgbouncer, pgpool, pgcat, pgdog, odyssey, stolon, pghost, pgservice, psycopg, asyncpg, pg8000, pgx, libpq, "8008", "5432", database_url, database-url, database_uri, db_url, db_uri, db-url, dsn, connection_string, jdbc, pgsslrootcert, sslrootcert, _pg_, sql_alchemy, vaultwarden, fsync, full_page_writes, zero_damaged_pages, ignore_checksum_failure, synchronous_commit, archive_mode, archive_command, wal_level, pg_hba, pg_wal, pg_checksums, pg_resetwal, alter, auto.conf, pgdata, /etc/grafana]}
#     - {group: apps, versions: [v1], kind: Deployment, plural: deployments, namespaced: true, role: cluster, contains: *servers}
#     - {group: apps, versions: [v1], kind: DaemonSet, plural: daemonsets, namespaced: true, role: cluster, contains: *servers}
#     - {group: apps, versions: [v1], kind: ReplicaSet, plural: replicasets, namespaced: true, role: cluster, contains: *servers}
#     - {group: "", versions: [v1], kind: Pod, plural: pods, namespaced: true, role: cluster, contains: *servers}
#     - {group: "", versions: [v1], kind: ReplicationController, plural: replicationcontrollers, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: argoproj.io, versions: [v1alpha1], kind: Rollout, plural: rollouts, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: apps.kruise.io, versions: [v1beta1, v1alpha1], kind: StatefulSet, plural: statefulsets, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: apps.kruise.io, versions: [v1beta1, v1alpha1], kind: DaemonSet, plural: daemonsets, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: apps.kruise.io, versions: [v1alpha1], kind: CloneSet, plural: clonesets, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: apps.openshift.io, versions: [v1], kind: DeploymentConfig, plural: deploymentconfigs, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: workloads.kubeblocks.io, versions: [v1, v1alpha1], kind: InstanceSet, plural: instancesets, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: workloads.kubeblocks.io, versions: [v1], kind: Instance, plural: instances, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: batch, versions: [v1beta1, v2alpha1], kind: CronJob, plural: cronjobs, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: "", versions: [v1], kind: PodTemplate, plural: podtemplates, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: "", versions: [v1], kind: Template, plural: templates, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: template.openshift.io, versions: [v1], kind: Template, plural: templates, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: addon.open-cluster-management.io, versions: [v1alpha1, v1beta1], kind: AddOnTemplate, plural: addontemplates, namespaced: false, role: cluster, served: false, contains: *servers}
#     - {group: apiextensions.crossplane.io, versions: [v1], kind: Composition, plural: compositions, namespaced: false, role: cluster, served: false, contains: *servers}
#     - {group: kubernetes.crossplane.io, versions: [v1alpha1, v1alpha2], kind: Object, plural: objects, namespaced: false, role: cluster, served: false, contains: *servers}
#     - {group: kubernetes.m.crossplane.io, versions: [v1alpha1], kind: Object, plural: objects, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: apps.kubeedge.io, versions: [v1alpha1], kind: EdgeApplication, plural: edgeapplications, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: apps.kruise.io, versions: [v1alpha1, v1beta1], kind: AdvancedCronJob, plural: advancedcronjobs, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: apps.kruise.io, versions: [v1alpha1, v1beta1], kind: BroadcastJob, plural: broadcastjobs, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: apps.kruise.io, versions: [v1alpha1], kind: UnitedDeployment, plural: uniteddeployments, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: argoproj.io, versions: [v1alpha1], kind: Workflow, plural: workflows, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: argoproj.io, versions: [v1alpha1], kind: CronWorkflow, plural: cronworkflows, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: argoproj.io, versions: [v1alpha1], kind: WorkflowTemplate, plural: workflowtemplates, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: argoproj.io, versions: [v1alpha1], kind: ClusterWorkflowTemplate, plural: clusterworkflowtemplates, namespaced: false, role: cluster, served: false, contains: *servers}
#     - {group: batch.volcano.sh, versions: [v1alpha1], kind: Job, plural: jobs, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: capsule.clastix.io, versions: [v1beta2], kind: TenantResource, plural: tenantresources, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: capsule.clastix.io, versions: [v1beta2], kind: GlobalTenantResource, plural: globaltenantresources, namespaced: false, role: cluster, served: false, contains: *servers}
#     - {group: core.oam.dev, versions: [v1beta1], kind: Application, plural: applications, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: db.atlasgo.io, versions: [v1alpha1], kind: AtlasMigration, plural: atlasmigrations, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: hive.openshift.io, versions: [v1], kind: SyncSet, plural: syncsets, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: hive.openshift.io, versions: [v1], kind: SelectorSyncSet, plural: selectorsyncsets, namespaced: false, role: cluster, served: false, contains: *servers}
#     - {group: jobset.x-k8s.io, versions: [v1alpha2], kind: JobSet, plural: jobsets, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: k8up.io, versions: [v1], kind: PreBackupPod, plural: prebackuppods, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: keda.sh, versions: [v1alpha1], kind: ScaledJob, plural: scaledjobs, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: kro.run, versions: [v1alpha1], kind: ResourceGraphDefinition, plural: resourcegraphdefinitions, namespaced: false, role: cluster, served: false, contains: *servers}
#     - {group: leaderworkerset.x-k8s.io, versions: [v1], kind: LeaderWorkerSet, plural: leaderworkersets, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: policy.open-cluster-management.io, versions: [v1], kind: ConfigurationPolicy, plural: configurationpolicies, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: policy.open-cluster-management.io, versions: [v1], kind: Policy, plural: policies, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: postgresql.sql.crossplane.io, versions: [v1alpha1], kind: Role, plural: roles, namespaced: false, role: cluster, served: false, contains: *servers}
#     - {group: postgresql.sql.m.crossplane.io, versions: [v1alpha1], kind: Role, plural: roles, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: serving.knative.dev, versions: [v1], kind: Configuration, plural: configurations, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: serving.knative.dev, versions: [v1], kind: Revision, plural: revisions, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: serving.knative.dev, versions: [v1], kind: Service, plural: services, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: sinks.knative.dev, versions: [v1alpha1], kind: JobSink, plural: jobsinks, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: sources.knative.dev, versions: [v1], kind: ContainerSource, plural: containersources, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: tekton.dev, versions: [v1, v1beta1], kind: ClusterTask, plural: clustertasks, namespaced: false, role: cluster, served: false, contains: *servers}
#     - {group: tekton.dev, versions: [v1, v1beta1], kind: Pipeline, plural: pipelines, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: tekton.dev, versions: [v1, v1beta1], kind: PipelineRun, plural: pipelineruns, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: tekton.dev, versions: [v1beta1, v1alpha1], kind: StepAction, plural: stepactions, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: tekton.dev, versions: [v1, v1beta1], kind: Task, plural: tasks, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: tekton.dev, versions: [v1, v1beta1], kind: TaskRun, plural: taskruns, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: work.karmada.io, versions: [v1alpha1], kind: Work, plural: works, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: work.open-cluster-management.io, versions: [v1], kind: ManifestWork, plural: manifestworks, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: work.open-cluster-management.io, versions: [v1alpha1], kind: ManifestWorkReplicaSet, plural: manifestworkreplicasets, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: actions.github.com, versions: [v1alpha1], kind: AutoscalingRunnerSet, plural: autoscalingrunnersets, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: admissionregistration.k8s.io, versions: [v1, v1beta1, v1alpha1], kind: MutatingAdmissionPolicy, plural: mutatingadmissionpolicies, namespaced: false, role: cluster, served: false, contains: *servers}
#     - {group: agones.dev, versions: [v1], kind: Fleet, plural: fleets, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: agones.dev, versions: [v1], kind: GameServer, plural: gameservers, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: apps.kruise.io, versions: [v1alpha1, v1beta1], kind: EphemeralJob, plural: ephemeraljobs, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: apps.kruise.io, versions: [v1alpha1, v1beta1], kind: ResourceDistribution, plural: resourcedistributions, namespaced: false, role: cluster, served: false, contains: *servers}
#     - {group: apps.kruise.io, versions: [v1alpha1, v1beta1], kind: SidecarSet, plural: sidecarsets, namespaced: false, role: cluster, served: false, contains: *servers}
#     - {group: apps.kruise.io, versions: [v1alpha1], kind: WorkloadSpread, plural: workloadspreads, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: argoproj.io, versions: [v1alpha1], kind: Sensor, plural: sensors, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: cr.kanister.io, versions: [v1alpha1], kind: ActionSet, plural: actionsets, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: cr.kanister.io, versions: [v1alpha1], kind: Blueprint, plural: blueprints, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: flink.apache.org, versions: [v1beta1], kind: FlinkDeployment, plural: flinkdeployments, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: argoproj.io, versions: [v1alpha1], kind: Application, plural: applications, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: argoproj.io, versions: [v1alpha1], kind: ApplicationSet, plural: applicationsets, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: argoproj.io, versions: [v1alpha1], kind: Application, plural: applications, namespaced: true, role: change, served: false, contains: &charts [cloudnative-pg, kubeblocks, pg-operator, pgo]}
#     - {group: argoproj.io, versions: [v1alpha1], kind: ApplicationSet, plural: applicationsets, namespaced: true, role: change, served: false, contains: *charts}
#     - {group: fleet.cattle.io, versions: [v1alpha1], kind: Bundle, plural: bundles, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: fluxcd.controlplane.io, versions: [v1], kind: ResourceSet, plural: resourcesets, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: helm.cattle.io, versions: [v1], kind: HelmChart, plural: helmcharts, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: helm.cattle.io, versions: [v1], kind: HelmChartConfig, plural: helmchartconfigs, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: helm.crossplane.io, versions: [v1beta1], kind: Release, plural: releases, namespaced: false, role: cluster, served: false, contains: *servers}
#     - {group: helm.m.crossplane.io, versions: [v1beta1], kind: Release, plural: releases, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: helm.toolkit.fluxcd.io, versions: [v2, v2beta2, v2beta1], kind: HelmRelease, plural: helmreleases, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: kubeflow.org, versions: [v1, v1beta1], kind: Notebook, plural: notebooks, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: kubeflow.org, versions: [v1], kind: PyTorchJob, plural: pytorchjobs, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: kubeflow.org, versions: [v1], kind: TFJob, plural: tfjobs, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: kubeflow.org, versions: [v2beta1, v1], kind: MPIJob, plural: mpijobs, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: kustomize.toolkit.fluxcd.io, versions: [v1, v1beta2, v1beta1], kind: Kustomization, plural: kustomizations, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: kyverno.io, versions: [v1, v2beta1], kind: ClusterPolicy, plural: clusterpolicies, namespaced: false, role: cluster, served: false, contains: *servers}
#     - {group: kyverno.io, versions: [v1, v2beta1], kind: Policy, plural: policies, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: mutations.gatekeeper.sh, versions: [v1, v1beta1, v1alpha1], kind: Assign, plural: assign, namespaced: false, role: cluster, served: false, contains: *servers}
#     - {group: mutations.gatekeeper.sh, versions: [v1, v1beta1, v1alpha1], kind: ModifySet, plural: modifyset, namespaced: false, role: cluster, served: false, contains: *servers}
#     - {group: policies.kyverno.io, versions: [v1, v1beta1, v1alpha1], kind: GeneratingPolicy, plural: generatingpolicies, namespaced: false, role: cluster, served: false, contains: *servers}
#     - {group: policies.kyverno.io, versions: [v1, v1beta1, v1alpha1], kind: MutatingPolicy, plural: mutatingpolicies, namespaced: false, role: cluster, served: false, contains: *servers}
#     - {group: policies.kyverno.io, versions: [v1, v1beta1], kind: NamespacedMutatingPolicy, plural: namespacedmutatingpolicies, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: policy.karmada.io, versions: [v1alpha1], kind: ClusterOverridePolicy, plural: clusteroverridepolicies, namespaced: false, role: cluster, served: false, contains: *servers}
#     - {group: policy.karmada.io, versions: [v1alpha1], kind: OverridePolicy, plural: overridepolicies, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: ray.io, versions: [v1, v1alpha1], kind: RayCluster, plural: rayclusters, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: ray.io, versions: [v1, v1alpha1], kind: RayJob, plural: rayjobs, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: ray.io, versions: [v1, v1alpha1], kind: RayService, plural: rayservices, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: sparkoperator.k8s.io, versions: [v1beta2], kind: ScheduledSparkApplication, plural: scheduledsparkapplications, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: sparkoperator.k8s.io, versions: [v1beta2], kind: SparkApplication, plural: sparkapplications, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: triggers.tekton.dev, versions: [v1beta1, v1alpha1], kind: TriggerTemplate, plural: triggertemplates, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: velero.io, versions: [v1], kind: Backup, plural: backups, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: velero.io, versions: [v1], kind: Restore, plural: restores, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: velero.io, versions: [v1], kind: Schedule, plural: schedules, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: extensions, versions: [v1beta1], kind: Deployment, plural: deployments, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: extensions, versions: [v1beta1], kind: DaemonSet, plural: daemonsets, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: extensions, versions: [v1beta1], kind: ReplicaSet, plural: replicasets, namespaced: true, role: cluster, served: false, contains: *servers}
#     - {group: "", versions: [v1], kind: ConfigMap, plural: configmaps, namespaced: true, role: support, contains: [ConfigMap], watched: false, named: {at: ["spec.volumes[].configMap.name", "spec.volumes[].projected.sources[].configMap.name", "spec.containers[].envFrom[].configMapRef.name", "spec.containers[].env[].valueFrom.configMapKeyRef.name", "spec.initContainers[].envFrom[].configMapRef.name", "spec.initContainers[].env[].valueFrom.configMapKeyRef.name", "spec.template.spec.volumes[].configMap.name", "spec.template.spec.volumes[].projected.sources[].configMap.name", "spec.template.spec.containers[].envFrom[].configMapRef.name", "spec.template.spec.containers[].env[].valueFrom.configMapKeyRef.name", "spec.template.spec.initContainers[].envFrom[].configMapRef.name", "spec.template.spec.initContainers[].env[].valueFrom.configMapKeyRef.name", "spec.jobTemplate.spec.template.spec.volumes[].configMap.name", "spec.jobTemplate.spec.template.spec.volumes[].projected.sources[].configMap.name", "spec.jobTemplate.spec.template.spec.containers[].env[].valueFrom.configMapKeyRef.name", "spec.jobTemplate.spec.template.spec.containers[].envFrom[].configMapRef.name", "spec.jobTemplate.spec.template.spec.initContainers[].env[].valueFrom.configMapKeyRef.name", "spec.jobTemplate.spec.template.spec.initContainers[].envFrom[].configMapRef.name"], made: ["{spec.containers[].env[name=PATRONI_SCOPE].value}-config", "{spec.containers[].env[name=SCOPE].value}-config", "{spec.template.spec.containers[].env[name=PATRONI_SCOPE].value}-config", "{spec.template.spec.containers[].env[name=SCOPE].value}-config"]}}
#     - {group: "", versions: [v1], kind: ConfigMap, plural: configmaps, namespaced: true, role: change, contains: [fsync, full_page_writes, zero_damaged_pages, ignore_checksum_failure, ignore_invalid_pages, synchronous_commit, archive_command, auth_type, trust, odyssey], watched: false}
#     - {group: "", versions: [v1], kind: Secret, plural: secrets, namespaced: true, role: change, served: false, contains: [pass, pwd, postgres], watched: false}
#     - {group: "", versions: [v1], kind: PersistentVolumeClaim, plural: persistentvolumeclaims, namespaced: true, role: support, contains: [PersistentVolumeClaim], named: {at: ["spec.volumes[].persistentVolumeClaim.claimName", "spec.template.spec.volumes[].persistentVolumeClaim.claimName"], made: ["{spec.volumeClaimTemplates[].metadata.name}-{metadata.name}-0"]}}
#     - {group: "", versions: [v1], kind: Service, plural: services, namespaced: true, role: support, contains: [Service], served: false}
#     - {group: autoscaling, versions: [v2, v1], kind: HorizontalPodAutoscaler, plural: horizontalpodautoscalers, namespaced: true, role: support, contains: [HorizontalPodAutoscaler], served: false}
#     - {group: batch, versions: [v1], kind: Job, plural: jobs, namespaced: true, role: cluster, contains: [postgres, psql, patroni, pgbouncer, pgpool, pgcat, pgdog, odyssey, stolon, pghost, pgservice, psycopg, asyncpg, pg8000, pgx, libpq, "8008", "5432", database_url, database-url, database_uri, db_url, db_uri, db-url, dsn, connection_string, jdbc, pgsslrootcert, sslrootcert, _pg_, fsync, full_page_writes, zero_damaged_pages, ignore_checksum_failure, synchronous_commit, archive_mode, archive_command, wal_level, pg_hba, pg_wal, pg_checksums, pg_resetwal, alter, auto.conf, pgdata]}
#     - {group: batch, versions: [v1], kind: CronJob, plural: cronjobs, namespaced: true, role: cluster, contains: [postgres, backup-type, psql, patroni, pgbouncer, pgpool, pgcat, pgdog, odyssey, stolon, pghost, pgservice, psycopg, asyncpg, pg8000, pgx, libpq, "8008", "5432", database_url, database-url, database_uri, db_url, db_uri, db-url, dsn, connection_string, jdbc, pgsslrootcert, sslrootcert, _pg_, fsync, full_page_writes, zero_damaged_pages, ignore_checksum_failure, synchronous_commit, archive_mode, archive_command, wal_level, pg_hba, pg_wal, pg_checksums, pg_resetwal, alter, auto.conf, pgdata]}
#     - {group: "", versions: [v1], kind: Endpoints, plural: endpoints, namespaced: true, role: change, served: false, contains: [config]}
#     - {group: security.openshift.io, versions: [v1], kind: SecurityContextConstraints, plural: securitycontextconstraints, namespaced: false, role: support, served: false}
#     - {group: route.openshift.io, versions: [v1], kind: Route, plural: routes, namespaced: true, role: support, served: false}
#     - {group: "", versions: [v1], kind: ServiceAccount, plural: serviceaccounts, namespaced: true, role: support, served: false}
#   facts:
#     version: {read: "image"}
#     edition: {read: "image"}
#     parameters: {read: "ConfigMaps and Secrets where the server or Patroni looks; environment of Bitnami's image; command line"}
#     defaults: {default: "those of Bitnami's image; of Patroni; of timescaledb-tune"}
#     instances: {read: "replicas, with repmgr or Patroni"}
#     resources: {read: "resources of the container"}
#     huge_pages: {read: "resources of the container"}
#     machine: {read: "nodeSelector; affinity.nodeAffinity"}
#     volume: {read: "the volume below the data directory, a claim in sight too"}
#     storage_class: {read: "the claim"}
#     performance: {read: "volumeAttributesClassName of the claim"}
#     wal_volume: {read: "the volume below the WAL directory"}
#     tablespaces: {unread: "SQL says where they are"}
#     segment: {read: "POSTGRES_INITDB_ARGS", default: "16 MB"}
#     checksums: {read: "POSTGRES_INITDB_ARGS; else initdb of the major"}
#     synchronous: {read: "synchronous_mode of Patroni; Bitnami's POSTGRESQL_NUM_SYNCHRONOUS_REPLICAS"}
#     slots: {read: "use_slots of Patroni"}
#     rewind: {read: "use_pg_rewind of Patroni; REPMGR_USE_PGREWIND"}
#     pooler: {read: "Deployments of Pgpool-II and PgBouncer whose environment names a Service of the server"}
#     archiving: {read: "archive_mode and archive_command; PGBACKREST_BACKUP_ENABLED of the chart"}
#     schedules: {read: "CronJobs of the chart timescaledb-single"}
#     patience: {read: "startup or liveness probe"}
#     shared_memory: {read: "emptyDir at /dev/shm", default: "64 MiB"}
package walguard.operators.workload

import data.walguard.lib.cluster as shared
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.owner
import data.walguard.lib.text
import data.walguard.operators.workload.command

pod_path := ["spec", "template", "spec"] if [k8s.group, k8s.kind] in {
	["apps", "StatefulSet"], ["apps", "Deployment"], ["apps", "DaemonSet"], ["apps", "ReplicaSet"],
	["", "ReplicationController"], ["argoproj.io", "Rollout"], ["apps.openshift.io", "DeploymentConfig"],
	["apps.kruise.io", "StatefulSet"], ["apps.kruise.io", "DaemonSet"], ["apps.kruise.io", "CloneSet"],
	["workloads.kubeblocks.io", "InstanceSet"], ["workloads.kubeblocks.io", "Instance"],
	["extensions", "Deployment"], ["extensions", "DaemonSet"], ["extensions", "ReplicaSet"],
}

pod_path := ["spec"] if {
	k8s.kind == "Pod"
	k8s.api_version == "v1"
}

# METADATA
# description: The first container that starts a server, {"index", "container", "product", "words"}.
server := servers[0] if {
	count(servers) > 0
	not k8s.chosen
	not generated
}

server := chosen[0] if {
	chosen := [one | some one in servers; title_of(one) == k8s.chosen]
	not generated
}

title_of(one) := sprintf("container %s", [shared.name_or(one.container, one.index)])

facts contains {"others": others} if count(others) > 0

others := [title_of(one) |
	server
	some i, one in servers
	i > 0
]

servers := [object.union({"list": list, "index": i, "container": candidate}, started) |
	some list in ["containers", "initContainers"]
	some i, candidate in get.list(k8s.object, array.concat(pod_path, [list]))
	is_object(candidate)
	goes_on(list, candidate)
	started := start_of(candidate)
]

goes_on("containers", _)

# A sidecar, as Kubernetes calls it since 1.29.
goes_on("initContainers", candidate) if get.string(candidate, "restartPolicy") == "Always"

# What somebody made from an object that is judged is not judged again. Of a request by one of Kubernetes' controllers the owner need not be in sight;
# a ReplicationController or a Job, which are not judged, does not count. The mirror of a static pod belongs to its Node.
generated if {
	owner.by_kubernetes
	some reference in get.list(k8s.object, ["metadata", "ownerReferences"])
	some [group, kind] in [["apps", "Deployment"], ["apps", "ReplicaSet"], ["apps", "StatefulSet"], ["apps", "DaemonSet"], ["", "Node"]]
	k8s.group_of(get.string(reference, "apiVersion")) == group
	get.string(reference, "kind") == kind
}

generated if {
	not k8s.user
	some kind in ["Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"]
	some made in owner.in_sight("apps/v1", kind)
	alike(made)
}

generated if {
	some made in owner.in_sight("kubegres.reactive-tech.io/v1", "Kubegres")
	k8s.kind == "StatefulSet"
	regex.match(`^-[0-9]+$`, trim_prefix(k8s.name, made.metadata.name))
	count(get.list(k8s.object, array.concat(pod_path, ["containers"]))) == 1
	every one in servers {
		as_kubegres_starts(one, made)
	}
	every first in get.list(k8s.object, array.concat(pod_path, ["initContainers"])) {
		get.list(first, "command") == ["sh", "-c", "/tmp/copy_primary_data_to_replica.sh"]
		not get.present(first, "args")
		every variable in get.list(first, "env") {
			variable.name in {"PGDATA", "PGPASSWORD", "PRIMARY_HOST_NAME"}
		}
	}
	every volume in get.list(k8s.object, array.concat(pod_path, ["volumes"])) {
		of_kubegres(volume, made)
	}
}

# The operator compares the image and its own volumes of what it made, but not what else somebody makes of the container
# (internal/controller/spec/enforcer/statefulset_spec, template/ResourcesCreatorFromTemplate.go).
as_kubegres_starts(one, made) if {
	every field in ["command", "lifecycle", "envFrom"] {
		not get.present(one.container, field)
	}
	every option in command.options(one.words) {
		option.name in {"config_file", "hba_file"}
		startswith(option.value, "/etc/")
	}
	every variable in get.list(one.container, "env") {
		given_by_kubegres(variable, made)
	}
}

given_by_kubegres(variable, made) if variable in get.list(made, ["spec", "env"])

given_by_kubegres(variable, _) if variable.name == "POD_IP"

given_by_kubegres(variable, made) if {
	variable == {"name": "PGDATA", "value": sprintf("%s/pgdata", [object.get(made, ["spec", "database", "volumeMount"], "/var/lib/postgresql/data")])}
}

of_kubegres(volume, made) if volume.name in {one.name | some one in get.list(made, ["spec", "volume", "volumes"])}

of_kubegres(volume, made) if volume.configMap.name in {"base-kubegres-config", object.get(made, ["spec", "customConfig"], "")}

# Zalando's operator calls the StatefulSet as the cluster, and writes it anew; its pods are numbered.
generated if {
	servers[0].product.layout == "spilo"
	some name in cluster_labels("cluster-name")
	made := inventory.namespaced_object(k8s.namespace, "acid.zalan.do/v1", "postgresql", name)
	not owner.left_alone(made)
	numbered(trim_prefix(k8s.name, name), object.get(made, ["spec", "numberOfInstances"], 0))
}

numbered("", _) if k8s.kind == "StatefulSet"

numbered(rest, replicas_) if {
	k8s.kind == "Pod"
	regex.match(`^-[0-9]{1,4}$`, rest)
	to_number(substring(rest, 1, -1)) < replicas_
}

# KubeBlocks calls it as the Component that it is made of, and writes it anew.
generated if {
	k8s.kind == "InstanceSet"
	some version in ["apps.kubeblocks.io/v1", "apps.kubeblocks.io/v1alpha1"]
	some made in owner.in_sight(version, "Component")
	made.metadata.name == k8s.name
}

# An Instance it calls as its InstanceSet, with a number (enableInstanceAPI).
generated if {
	k8s.kind == "Instance"
	some made in owner.in_sight("workloads.kubeblocks.io/v1", "InstanceSet")
	regex.match(`^-([a-z0-9-]+-)?[0-9]{1,4}$`, trim_prefix(k8s.name, made.metadata.name))
}

# KubeBlocks has no other workload between a Cluster and its Pods, which it numbers by component.
generated if {
	k8s.kind == "Pod"
	some name in cluster_labels("app.kubernetes.io/instance")
	some version in ["apps.kubeblocks.io/v1", "apps.kubeblocks.io/v1alpha1"]
	made := inventory.namespaced_object(k8s.namespace, version, "Cluster", name)
	not owner.left_alone(made)
	some [list, between] in [["componentSpecs", ""], ["shardings", `[a-z0-9]+-`]]
	some component in get.list(made, ["spec", list])
	numbered_by_kubeblocks(trim_prefix(k8s.name, sprintf("%s-%s-", [name, get.string(component, "name")])), between, component)
	some reference in get.list(k8s.object, ["metadata", "ownerReferences"])
	k8s.group_of(get.string(reference, "apiVersion")) == "workloads.kubeblocks.io"
	existing_shard(list, version, get.string(reference, "name"))
}

# The names of shards are drawn: the Component says which there are.
existing_shard("componentSpecs", _, _)

existing_shard("shardings", _, _) if not inventory.complete

existing_shard("shardings", version, name) if {
	inventory.complete
	inventory.namespaced_object(k8s.namespace, version, "Component", name)
}

# By shard and number, with the name of their template between where some instances differ.
numbered_by_kubeblocks(rest, between, _) if regex.match(sprintf(`^%s[0-9]{1,5}$`, [between]), rest)

numbered_by_kubeblocks(rest, between, component) if {
	some one in array.concat(get.list(component, "instances"), get.list(component, ["template", "instances"]))
	regex.match(sprintf(`^%s%s-[0-9]{1,5}$`, [between, text.literal(get.string(one, "name"))]), rest)
}

cluster_labels(key) := {name |
	some labels in [k8s.labels, get.map(k8s.object, ["spec", "template", "metadata", "labels"])]
	name := get.string(labels, key)
}

# The owner starts the same servers.
alike(made) if {
	theirs := get.list(made, ["spec", "template", "spec", "containers"])
	starts := {start_text(c) | some c in theirs}
	places := {path | some c in theirs; some mounted in get.list(c, "volumeMounts"); path := get.string(mounted, "mountPath")}
	volumes_ := get.list(made, ["spec", "template", "spec", "volumes"])
	others_ := {volume.name |
		some volume in get.list(k8s.object, array.concat(pod_path, ["volumes"]))
		count(object.keys(volume) & {"emptyDir", "hostPath"}) > 0
		not volume in volumes_
	}
	every one in servers {
		start_text(one.container) in starts
		every mounted in get.list(one.container, "volumeMounts") {
			not displaces(mounted, others_, places)
		}
	}
}

# On the node or passing, where the owner has another volume.
displaces(mounted, volumes_, places) if {
	mounted.name in volumes_
	strings.any_prefix_match(mounted.mountPath, places)
}

start_text(c) := object.filter(c, ["image", "command", "args", "env", "envFrom"])

layout := server.product.layout

container := server.container

container_path := array.concat(pod_path, [server.list, server.index])

# METADATA
# description: The cluster as walguard.model documents it.
cluster := object.union_n([f | some f in facts]) if server

cluster := object.union_n([f | some f in facts]) if concerns_servers
