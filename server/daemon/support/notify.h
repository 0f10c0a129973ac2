/* notify.h - tells systemd the state of the service by one datagram to $NOTIFY_SOCKET (man 3 sd_notify), and reads the
 * interval of its watchdog (man 3 sd_watchdog_enabled). Any thread, except for the environment. */
#pragma once

#include <stdint.h>

/* Sends "READY=1", "STOPPING=1" or "WATCHDOG=1". After STOPPING=1 it sends only WATCHDOG=1. Does nothing without
 * $NOTIFY_SOCKET; ignores failures. */
void notify_state(const char *state);

/* Sends RELOADING=1 with the time, as systemd requires; READY=1 ends the reload. */
void notify_reloading(void);

/* Returns the microseconds within which the watchdog expects WATCHDOG=1; 0: it expects none, or from another process.
 * get is getenv(). */
uint64_t notify_watchdog_us(char *(*get)(const char *name));
