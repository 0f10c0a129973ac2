#!/bin/sh
# uninstall.sh STAGE DESTDIR - removes from DESTDIR the files that lie in STAGE, at the same paths, and the folders that are empty then; those
# that a system has from the start stay. Called by `make uninstall`.
set -eu
stage=$1
root=$2
cd "$stage"
find . ! -type d | while IFS= read -r file; do rm -f "$root/$file"; done
find . -depth -type d | while IFS= read -r folder; do
    case $folder in
    . | ./opt | ./usr | ./usr/local | ./usr/local/bin | ./usr/local/include | ./usr/local/lib | ./usr/local/share | ./usr/local/share/man) ;;
    *) [ ! -d "$root/$folder" ] || rmdir --ignore-fail-on-non-empty "$root/$folder" ;;
    esac
done
