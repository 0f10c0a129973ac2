#!/bin/bash
# boot.sh ROOT - runs the systemd of the Debian in ROOT as process 1. To be called in namespaces of its own (mounts, processes,
# network, IPC, names, control groups), and in control groups of its own: with its first process all of it ends.
set -euo pipefail
root=$1
mount --make-rprivate /
mount --bind "$root" "$root"
mkdir -p "$root"/{proc,sys,dev,run,tmp,.before}
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
    mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
else
    mount -t tmpfs -o mode=755 tmpfs "$root/sys/fs/cgroup"
    for controller in systemd memory pids; do
        mkdir "$root/sys/fs/cgroup/$controller"
        option=$controller
        [ "$controller" != systemd ] || option=none,name=systemd
        mount -t cgroup -o "$option" cgroup "$root/sys/fs/cgroup/$controller"
    done
fi
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
mkdir "$root"/dev/{shm,pts}
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=666,mode=620 devpts "$root/dev/pts"
for device in null zero full random urandom tty; do
    touch "$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
done
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
mount -t tmpfs -o mode=755 tmpfs "$root/run"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
cd "$root"
pivot_root . .before
umount -l .before
rmdir .before
exec env -i container=test PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --system
