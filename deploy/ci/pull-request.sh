#!/bin/bash
# pull-request.sh BASE [FOLDER] - what a change does to models, for those who review it. Writes FOLDER/report.md with pictures: the differences
# of each model since the merge base of BASE and HEAD, sheets of all clips, and what posectl check finds in the models that changed.
#
#   BASE            the branch that the change goes to, or any commit: origin/main
#   FOLDER          model-review; the report of an earlier run there is removed
#   POSECTL         the program: posectl
#   POSED_BASELINE  accepted findings: posed.known.json at the top of the repository, where there is one
#   POSED_SHEETS    of how many models sheets are drawn at most: 50
#
# Exit status: 0; 1: check finds an error that is not accepted; 2: git or the command line is at fault; 3: posectl is.
#
# Whoever opens a pull request chooses what lies in the work tree. So the page is made in a new folder of mktemp, which then takes the name
# FOLDER, and no symbolic link of the work tree is followed on the way there.
set -euo pipefail
export LC_ALL=C.UTF-8

die() { echo "pull-request.sh: $2" >&2; exit "$1"; }

[ $# -ge 1 ] && [ $# -le 2 ] && [ -n "$1" ] || die 2 "usage: pull-request.sh BASE [FOLDER]"
posectl=${POSECTL:-posectl}
command -v "$posectl" >/dev/null || die 3 "there is no program '$posectl'"
top=$(git rev-parse --show-toplevel) || die 2 "this is no git repository"
base=$(git merge-base -- "$1" HEAD) || die 2 "no commit is both in '$1' and in HEAD: fetch the whole history, or another BASE"

# --- where the page goes ---

# Ends where a part of the path is a link that lies in the work tree.
refuse_links() {
    local part=$1 above
    while [ "$part" != / ]; do
        above=$(dirname -- "$part")
        case $(realpath -m -- "$above")/ in
        "$top"/*) [ ! -L "$part" ] || die 2 "'$part' is a symbolic link in the work tree" ;;
        esac
        part=$above
    done
}
final=$(realpath -ms -- "${2:-model-review}")
refuse_links "$final"
if [ -e "$final" ] || [ -L "$final" ]; then
    [ -d "$final" ] && [ ! -L "$final" ] || die 2 "'$final' is no folder"
    [ -f "$final/report.md" ] || rmdir -- "$final" 2>/dev/null || die 2 "'$final' is not empty, and has no report of an earlier run"
fi
mkdir -p -- "$(dirname -- "$final")"
out=$(mktemp -d -- "$(dirname -- "$final")/.model-review.XXXXXXXX")
trap 'rm -rf -- "$out"' EXIT
chmod -- =rwx "$out" # as mkdir would have made it
mkdir -- "$out/sheets"
cd -- "$top"

# The finished page takes its name.
publish() {
    rm -rf -- "$final"
    mv -T -- "$out" "$final"
    echo "$final/report.md"
}
head=$(git rev-parse HEAD)
report=$out/report.md
baseline=${POSED_BASELINE:-posed.known.json}

# --- which models ---

# Every file of the change that is a model now, and models beside files of the same name: hero.gltf where hero.bin changed.
endings=$("$posectl" formats | awk '{print $1}') || die 3 "posectl formats failed"
is_model() {
    local ending=${1##*.}
    [[ $1 == *.* ]] && grep -qxiF -- "$ending" <<<"$endings"
}
list_models() {
    local file ending
    while IFS= read -r -d '' file; do
        if is_model "$file"; then
            printf '%s\0' "$file"
        elif [[ ${file##*/} == *.* ]]; then
            for ending in $endings; do
                [ ! -f "${file%.*}.$ending" ] || printf '%s\0' "${file%.*}.$ending"
            done
        fi
    done
}
git diff --name-only --no-renames --diff-filter=d -z "$base" HEAD -- >"$out/files" || die 2 "git diff failed"
mapfile -d '' -t models < <(list_models <"$out/files" | sort -zu)
mapfile -d '' -t removed < <(git diff --name-only --no-renames --diff-filter=D -z "$base" HEAD --)
rm -- "$out/files"

# Names in a report: whoever opens a pull request chooses them. U+202A to U+202E and U+2066 to U+2069 make text look like another one.
# Names of git are bytes: those that are no UTF-8 would make the page no text, so iconv leaves them out, and "?" says that some were there.
as_utf8() {
    local kept
    kept=$(printf %s "$1" | iconv -c -f UTF-8 -t UTF-8 2>/dev/null) || :
    [ "$kept" = "$1" ] && printf %s "$1" || printf '%s?' "$kept"
}
name() {
    printf '`%s`' "$(as_utf8 "$1" | tr '\000-\037\177`|' '?' | LC_ALL=C sed 's/\xc2[\x80-\x9f]/?/g
        s/\xe2\x80\xaa/\\u202a/g; s/\xe2\x80\xab/\\u202b/g; s/\xe2\x80\xac/\\u202c/g; s/\xe2\x80\xad/\\u202d/g; s/\xe2\x80\xae/\\u202e/g
        s/\xe2\x81\xa6/\\u2066/g; s/\xe2\x81\xa7/\\u2067/g; s/\xe2\x81\xa8/\\u2068/g; s/\xe2\x81\xa9/\\u2069/g')"
}

say() { printf "$@" >>"$report"; }

gone=()
for file in ${removed[@]+"${removed[@]}"}; do
    ! is_model "$file" || gone+=("$file")
done
put_models() {
    say '# Models in this change\n\nFrom %s to %s, commits: %s.\n\n' "${base:0:12}" "${head:0:12}" "$(git rev-list --count "$base..HEAD")"
    for file in ${gone[@]+"${gone[@]}"}; do
        say -- '- removed: %s\n' "$(name "$file")"
    done
    for file in ${models[@]+"${models[@]}"}; do
        what=changed
        git cat-file -e "$base:$file" 2>/dev/null || what=new
        say -- '- %s: %s\n' "$what" "$(name "$file")"
    done
}
if [ $((${#models[@]} + ${#gone[@]})) -eq 0 ]; then
    put_models
    say 'No model changed.\n'
    publish
    exit 0
fi

# --- what is different: its first two sentences begin the page ---

status=0
"$posectl" diff --git "$base..$head" --format markdown -o "$out/differences.md" || status=$?
[ "$status" -le 1 ] || die 3 "posectl diff failed with status $status"
cat -- "$out/differences.md" >>"$report"
say '\n'
put_models

# --- sheets ---

# All clips of a model, a row each; what has no clips, or too many for one picture, is drawn once.
draw() {
    "$posectl" sheet --quiet --clips all --frames 8 --captions --width 128 --height 128 -o "$2" -- "$1" 2>/dev/null ||
        "$posectl" render --quiet --width 512 --height 512 -o "$2" -- "$1" 2>"$out/problem"
}
say '\n# Sheets\n'
number=0
for file in ${models[@]+"${models[@]}"}; do
    number=$((number + 1))
    if [ "$number" -gt "${POSED_SHEETS:-50}" ]; then
        say '\n%s models more have no sheet here.\n' $((${#models[@]} - number + 1))
        break
    fi
    say '\n## %s\n\n' "$(name "$file")"
    if draw "$file" "$out/sheets/$number.png"; then
        say '![all clips](sheets/%s.png)\n' "$number"
    else
        say '%s\n' "$(name "$(head -n 1 "$out/problem")")"
    fi
done
rm -f -- "$out/problem"

# --- rules ---

# posectl prints the report once for people and once for the machine; imported models are in its cache.
check() { printf '%s\0' "${models[@]}" | xargs -0 -x -s 1000000 "$posectl" check --color never "${accepted[@]}" "$@" --; }
accepted=(--fail-on error)
[ ! -L "$baseline" ] || [ -n "${POSED_BASELINE:-}" ] || die 2 "'$baseline' is a symbolic link"
[ -z "${POSED_BASELINE:-}" ] && [ ! -e "$baseline" ] || accepted+=(--baseline "$baseline")
say '\n# Check\n\n'
failed=0
if [ ${#models[@]} -gt 0 ]; then
    # xargs has 123 for the statuses 1 to 125 of what it runs: the report for the machine tells which one it was.
    check --format sarif -o "$out/check.sarif" || failed=$?
    [ -s "$out/check.sarif" ] || die 3 "posectl check failed"
    check --format junit -o "$out/check.xml" || :
    check -o "$out/check.txt" || :
    say '```text\n%s\n```\n' "$(tr -d '`' <"$out/check.txt")"
fi
publish
[ "$failed" -eq 0 ] || exit 1
