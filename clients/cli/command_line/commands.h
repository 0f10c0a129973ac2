/* commands.h - one function per command. It returns the exit status. main.c calls them from a table. Main thread. */
#pragma once

#include "clients/cli/command_line/args.h"

int run_info(const struct args *args);
int run_bone_map(const struct args *args);
int run_ask(const struct args *args); /* palette, pose, mesh, bounds, keys, render, keypoints, sheet, turntable */
int run_convert(const struct args *args);
int run_bake(const struct args *args);
int run_server_command(const struct args *args); /* models, formats, version, query */
int run_thumbs(const struct args *args);
int run_dataset(const struct args *args);
int run_diff(const struct args *args);
int run_watch(const struct args *args);
int run_check(const struct args *args);
int run_flex(const struct args *args);
int run_text(const struct args *args);
int run_warm(const struct args *args);
int run_bench(const struct args *args);
int run_completion(const struct args *args);
int run_man(const struct args *args);
/* Prints --help of a command, or of posectl as a whole if it is NULL. */
int print_help(const struct command *command);
