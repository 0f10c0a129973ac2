#!/bin/sh
# find-library.sh FOLDER - makes programs find the shared libraries that were installed into FOLDER, where it may, and else says what does.
# Called by `make install` without DESTDIR.
set -eu
folder=$1
library=$(cd "$folder" && ls libposed-eval.so.* | head -n 1)
installed=$(readlink -f "$folder/$library")
PATH=$PATH:/usr/sbin:/sbin
command -v ldconfig >/dev/null 2>&1 || exit 0
is_found() {
    ldconfig -p | sed -n "s/^.*$library .* => //p" | while IFS= read -r path; do [ "$(readlink -f "$path")" != "$installed" ] || echo yes; done | grep -q yes
}
[ "$(id -u)" != 0 ] || ldconfig
is_found || cat <<TEXT
install: programs do not find $folder/$library yet. As root run
  echo $folder >/etc/ld.so.conf.d/posed.conf && ldconfig
or start them with LD_LIBRARY_PATH=$folder.
TEXT
