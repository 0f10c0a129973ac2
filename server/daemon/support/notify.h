/* notify.h - reports the state of the service to systemd: one datagram to $NOTIFY_SOCKET (man 3 sd_notify). */
#pragma once

/* "READY=1", "STOPPING=1". Does nothing without $NOTIFY_SOCKET; failures are ignored. */
void notify_state(const char *state);
