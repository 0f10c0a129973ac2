#!/bin/bash
# sbom.sh ROOT VERSION - prints the software bill of materials of the image in folder ROOT: SPDX 2.3 as JSON (https://spdx.github.io/spdx-spec/v2.3).
# Lists posed, the Debian packages whose files are in it, by ROOT/var/lib/dpkg/status.d, and those whose code is compiled into posed.
# $SOURCE_DATE_EPOCH is its time of creation, if set.
set -euo pipefail
root=$1 version=$2
compiled=(node-llhttp libstb-dev uthash-dev) # see deploy/debian/copyright
created=$(date -u ${SOURCE_DATE_EPOCH:+-d "@$SOURCE_DATE_EPOCH"} +%Y-%m-%dT%H:%M:%SZ)
. "$root/usr/lib/os-release"

# Versions of packages have no character that JSON escapes (Debian policy 5.6.12).
field() { sed -n "s/^$1: //p" | head -n 1; }
package() { # package NAME VERSION LICENCE [PURL]
    local references=
    [ $# -lt 4 ] || references=$(printf ',\n   "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": "%s"}]' "$4")
    printf '  {"SPDXID": "SPDXRef-%s", "name": "%s", "versionInfo": "%s", "downloadLocation": "NOASSERTION", "filesAnalyzed": false,\n' \
        "${1//[^A-Za-z0-9.-]/-}" "$1" "$2"
    printf '   "licenseConcluded": "NOASSERTION", "licenseDeclared": "%s", "copyrightText": "NOASSERTION"%s}' "$3" "$references"
}
relation() { printf ',\n  {"spdxElementId": "%s", "relationshipType": "%s", "relatedSpdxElement": "SPDXRef-%s"}' "$1" "$2" "${3//[^A-Za-z0-9.-]/-}"; }

packages=$(package posed "$version" MIT)
relations='  {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-posed"}'
debian() { # debian NAME RELATION, with its entry of dpkg's status on stdin
    local entry=$(cat) purl
    purl="pkg:deb/debian/$1@$(field Version <<<"$entry")?arch=$(field Architecture <<<"$entry")&distro=debian-$VERSION_ID"
    packages+=$',\n'$(package "$1" "$(field Version <<<"$entry")" NOASSERTION "${purl//+/%2B}")
    relations+=$(relation SPDXRef-posed "$2" "$1")
}
for file in "$root"/var/lib/dpkg/status.d/*; do debian "${file##*/}" DEPENDS_ON <"$file"; done
for name in "${compiled[@]}"; do debian "$name" STATIC_LINK < <(dpkg-query -s "$name"); done

cat <<END
{"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": "posed-$version",
 "documentNamespace": "urn:posed:image:$version:$(sha256sum <<<"$packages" | cut -c1-32)",
 "creationInfo": {"created": "$created", "creators": ["Tool: posed-sbom.sh"]},
 "packages": [
$packages
 ],
 "relationships": [
$relations
 ]}
END
