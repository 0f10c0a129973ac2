/* joint_map.h - reads files with rules about joints. --joint-map renames the joints of clips' files. --map and
 * --clip-map assign joints to the bones of a human. */
#pragma once

#include "clients/cli/command_line/args.h"

/* Reads the files in the order given. The rules of --rename-joints come first, then those of --joint-map: together they
 * become the parameter rename_joints of a body, because a whole map is too long for a query. --map and --clip-map name
 * a table of protocol/humanoid, or a file with rules "role=joint"; such a file becomes the parameter bones or
 * clip_bones.
 *
 * A file is a JSON object {"from":"to"}, or has one rule "from=to" a line. Blanks around both names, empty lines and
 * lines that begin with '#' are ignored. Returns 0, or -1 with a message in *problem that names the file and the line.
 */
int joint_map_read(struct args *args, struct text *problem);
