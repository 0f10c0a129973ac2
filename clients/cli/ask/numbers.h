/* numbers.h - prints the answers of palette, pose, mesh, bounds and keys for people. */
#pragma once

#include "clients/cli/command_line/args.h"

#include <cjson/cJSON.h>

/* Appends the server's JSON answer to the command as rows of numbers. */
void put_numbers_of(struct text *out, enum command_id command, const cJSON *answer);
