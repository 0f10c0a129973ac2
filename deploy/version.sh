#!/bin/sh
# version.sh - prints what a build of this tree is called. The only place that decides it; `make version=TEXT` says something else.
#
#   0.2.0                                    the commit has the tag v0.2.0 and no file differs from it; or nothing but the number is
#                                            known: there is no .git (a tarball, also one inside another repository) or no git
#   0.2.0+git20261128.142035.1a2b3c4d        any other commit: its time (UTC) and the first 8 digits of its hash
#   0.2.0+git20261128.142035.1a2b3c4d.dirty  the same, with files that differ from it
#
# By the time dpkg takes the package of a later commit for the newer one. Nothing of the machine is in the text: the same commit gives
# the same, whatever the clone has of tags beside and of history.
set -eu
cd "$(dirname "$0")/.."
release=$(sed -n 's/^#define POSED_RELEASE "\(.*\)"$/\1/p' server/base/version.h)

# The repository is named and not looked for: another one around this tree is none of ours, and git then also answers whoever is
# not the owner of the files, as root is in `sudo make install`.
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX
ask() { git --git-dir=.git --work-tree=. --no-optional-locks -c log.showSignature=false "$@" 2>/dev/null; }

if ! commit=$(ask rev-parse --verify HEAD); then
    echo "$release"
    exit
fi
changes=$(ask status --porcelain --untracked-files=no) || changes=unknown
if [ -z "$changes" ] && ask tag --points-at HEAD | grep -qxF "v$release"; then
    echo "$release"
    exit
fi
date=$(TZ=UTC0 ask log -1 --date=format-local:%Y%m%d.%H%M%S --format=%cd)
printf '%s+git%s.%.8s%s\n' "$release" "$date" "$commit" "${changes:+.dirty}"
