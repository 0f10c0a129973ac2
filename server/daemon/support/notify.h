/* notify.h - talks to systemd: the state of the service, by one datagram to $NOTIFY_SOCKET (man 3 sd_notify), and how
 * often its watchdog wants to hear of it (man 3 sd_watchdog_enabled). Any thread, but for the environment. */
#pragma once

#include <stdint.h>

/* "READY=1", "STOPPING=1", "WATCHDOG=1". After STOPPING=1 only the last of these is sent. Does nothing without
 * $NOTIFY_SOCKET; failures are ignored. */
void notify_state(const char *state);

/* RELOADING=1 with the time, which systemd waits for; READY=1 ends it. */
void notify_reloading(void);

/* Microseconds within which the watchdog wants WATCHDOG=1; 0: it does not, or wants it of another process. get is
 * getenv(). */
uint64_t notify_watchdog_us(char *(*get)(const char *name));
