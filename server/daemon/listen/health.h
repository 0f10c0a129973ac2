/* health.h - checks whether a running server is healthy, for posed --health and the container's HEALTHCHECK. Blocks for
 * a few seconds at most. */
#pragma once

#include "daemon/config/config.h"

/* Requests /healthz of the server that config->http describes (on loopback if it listens everywhere), or of
 * config->health_url (http://HOST[:PORT][/PATH]) unless that is "". Prints one line and returns the exit status: 0 for
 * a response of 200, else 1. */
int health_probe(const struct config *config);
