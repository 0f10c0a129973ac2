/* commands.h - one function a command: it does everything and returns the exit status. */
#pragma once

#include "clients/cli/command_line/args.h"

int run_info(const struct args *args);
int run_answer(const struct args *args);         /* palette, pose, mesh, bounds */
int run_picture(const struct args *args);        /* render, sheet, turntable */
int run_thumbs(const struct args *args);         /* thumbs, watch */
int run_server_command(const struct args *args); /* models, formats, version, query */
int run_check(const struct args *args);
int run_bench(const struct args *args);
