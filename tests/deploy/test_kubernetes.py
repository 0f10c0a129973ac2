"""deploy/kubernetes: kubectl turns it into what a cluster accepts, and its parts fit each other, posed and HAProxy."""
import re
import shutil
import subprocess

import pytest
from conftest import BUILD, REPOSITORY

yaml = pytest.importorskip("yaml", reason="python3-yaml is not installed: make deploy-test installs it")

BASE = REPOSITORY / "deploy" / "kubernetes"
WITH_MONITORS = REPOSITORY / "deploy" / "monitoring" / "kubernetes"
CONFIG = REPOSITORY / "deploy" / "proxies" / "haproxy.cfg"


def kustomize(folder):
    """All its objects, by kind and name."""
    if shutil.which("kubectl") is None:
        pytest.skip("kubectl is not installed: apt-get install kubernetes-client, or make deploy-test")
    made = subprocess.run(["kubectl", "kustomize", str(folder)], capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    things = list(yaml.safe_load_all(made.stdout))
    found = {(thing["kind"], re.sub(r"-[a-z0-9]{10}$", "", thing["metadata"]["name"])): thing for thing in things}
    assert len(found) == len(things)
    return found


@pytest.fixture(scope="module")
def things():
    return kustomize(BASE)


def pods(things):
    return {key: thing["spec"]["template"] for key, thing in things.items() if key[0] in ("StatefulSet", "Deployment")}


def ports(template):
    return {port["name"]: port["containerPort"] for container in template["spec"]["containers"] for port in container["ports"]}


def selected(things, selector):
    """The pod templates that a selector matches."""
    labels = selector.get("matchLabels", selector)
    return [template for template in pods(things).values() if labels.items() <= template["metadata"]["labels"].items()]


def test_what_there_is(things):
    assert set(things) == {("StatefulSet", "posed"), ("Deployment", "posed-front"), ("Service", "posed"), ("Service", "posed-front"), ("ConfigMap", "posed-haproxy"),
                           ("PodDisruptionBudget", "posed"), ("PodDisruptionBudget", "posed-front"), ("NetworkPolicy", "posed"), ("NetworkPolicy", "posed-front")}
    monitored = kustomize(WITH_MONITORS)
    assert set(monitored) - set(things) == {("ServiceMonitor", "posed"), ("ServiceMonitor", "posed-front")}
    for name in ("posed", "posed-front"):
        monitor, service = monitored["ServiceMonitor", name], things["Service", name]
        assert monitor["spec"]["selector"]["matchLabels"].items() <= service["metadata"]["labels"].items()
        assert {end["port"] for end in monitor["spec"]["endpoints"]} <= {port["name"] for port in service["spec"]["ports"]}


def test_selectors_take_the_pods_that_are_meant(things):
    for (kind, name), thing in things.items():
        selector = {"NetworkPolicy": "podSelector"}.get(kind, "selector")
        if selector in thing.get("spec", {}):
            found = selected(things, thing["spec"][selector])
            assert found == [template for (_, owner), template in pods(things).items() if owner == name], (kind, name)


def test_ports_exist_where_they_are_named(things):
    for (kind, name), thing in things.items():
        if kind == "Service":
            (template,) = selected(things, thing["spec"]["selector"])
            assert {port["targetPort"] for port in thing["spec"]["ports"]} <= set(ports(template))
        if kind == "NetworkPolicy":
            (template,) = selected(things, thing["spec"]["podSelector"])
            assert {port["port"] for rule in thing["spec"]["ingress"] for port in rule["ports"]} == set(ports(template)), "a port that nobody may reach"
            for rule in thing["spec"]["egress"]:
                for peer in rule.get("to", []):
                    (other,) = selected(things, peer["podSelector"])
                    assert {port["port"] for port in rule["ports"]} <= set(ports(other))
    for template in pods(things).values():
        for container in template["spec"]["containers"]:
            probes = {name: probe for name, probe in container.items() if name.endswith("Probe")}
            assert {"readinessProbe", "livenessProbe"} <= set(probes)
            assert {probe["httpGet"]["port"] for probe in probes.values()} <= set(ports(template))
    probes = pods(things)["StatefulSet", "posed"]["spec"]["containers"][0]
    assert [probes[name]["httpGet"]["path"] for name in ("startupProbe", "readinessProbe", "livenessProbe")] == ["/readyz", "/readyz", "/livez"]


def test_volumes_exist_and_nothing_runs_with_more_than_it_needs(things):
    for (kind, _), thing in things.items():
        if kind not in ("StatefulSet", "Deployment"):
            continue
        pod = thing["spec"]["template"]["spec"]
        volumes = {volume["name"] for volume in pod["volumes"]} | {claim["metadata"]["name"] for claim in thing["spec"].get("volumeClaimTemplates", [])}
        assert pod["securityContext"]["runAsNonRoot"] and pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert pod["automountServiceAccountToken"] is False and pod["enableServiceLinks"] is False
        for container in pod["containers"]:
            assert {mount["name"] for mount in container["volumeMounts"]} == volumes
            assert container["securityContext"] == {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}
            assert "memory" in container["resources"]["limits"]
    config = things["ConfigMap", "posed-haproxy"]
    assert config["data"]["haproxy.cfg"] == CONFIG.read_text()
    volume = next(volume for volume in pods(things)["Deployment", "posed-front"]["spec"]["volumes"] if "configMap" in volume)
    assert volume["configMap"]["name"] == config["metadata"]["name"]


def test_posed_takes_its_options(things):
    pod = pods(things)["StatefulSet", "posed"]["spec"]
    arguments = dict(argument[2:].split("=", 1) for argument in pod["containers"][0]["args"])
    done = subprocess.run([BUILD / "posed", "--help"], capture_output=True, text=True, check=True)
    known = set(re.findall(r"^  --([a-z-]+)", done.stdout, re.M))
    assert set(arguments) <= known, set(arguments) - known
    mounts = [mount["mountPath"] for mount in pod["containers"][0]["volumeMounts"]]
    assert arguments["token-file"].rsplit("/", 1)[0] in mounts
    assert int(arguments["admin"].rsplit(":", 1)[1]) == ports({"spec": pod})["admin"]
    drain_s = int(arguments["drain-delay"].rstrip("s")) + int(re.search(r"POSED_DRAIN_TIMEOUT, default (\d+)s", done.stdout)[1]) + 10
    assert pod["terminationGracePeriodSeconds"] >= drain_s


def test_haproxy_finds_the_instances(things):
    """Each has a name from the headless service, for any number of replicas up to twice as many."""
    state = things["StatefulSet", "posed"]["spec"]
    (container,) = pods(things)["Deployment", "posed-front"]["spec"]["containers"]
    values = {entry["name"]: entry.get("value") for entry in container["env"]}
    service = things["Service", state["serviceName"]]
    assert service["spec"]["clusterIP"] == "None" and service["spec"]["publishNotReadyAddresses"] is True
    port = {entry["name"]: entry["port"] for entry in service["spec"]["ports"]}
    for i in range(2 * state["replicas"]):
        for suffix, name in (("", "http"), ("_PACKETS", "packets")):
            assert values[f"POSED_{i + 1}{suffix}"] == f"posed-{i}.{state['serviceName']}.$(NAMESPACE).svc.cluster.local:{port[name]}"
    read = set(re.findall(r"\bPOSED_[A-Z0-9_]+\b", CONFIG.read_text()))
    assert {name for name in values if name.startswith("POSED_")} <= read


def test_haproxy_takes_the_file_with_that_environment(things, tmp_path):
    haproxy = shutil.which("haproxy", path="/usr/sbin:/usr/bin:/usr/local/sbin")
    if haproxy is None:
        pytest.skip("haproxy is not installed: make deploy-test installs it")
    (container,) = pods(things)["Deployment", "posed-front"]["spec"]["containers"]
    environment = {entry["name"]: entry.get("value", "farm").replace("$(NAMESPACE)", "farm") for entry in container["env"]}
    path = tmp_path / "haproxy.cfg"
    path.write_text(things["ConfigMap", "posed-haproxy"]["data"]["haproxy.cfg"])
    done = subprocess.run([haproxy, "-c", "-f", path], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
