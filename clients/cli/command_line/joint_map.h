/* joint_map.h - files of rules about joints: --joint-map, which gives joints of clips' files other names, and --map and
 * --clip-map, which say which joint is which bone of a human. */
#pragma once

#include "clients/cli/command_line/args.h"

/* Reads the files, in the order given, and makes their rules and those of --rename-joints, which come first, the
 * parameter rename_joints of a body: a whole map is too long for a query. What --map or --clip-map names that is no
 * table of protocol/humanoid is a file likewise, of rules "role=joint", which become the parameter bones or clip_bones.
 * A file has a rule "from=to" a line, blanks around both and lines that are empty or begin with '#' left out; or it is
 * a JSON object {"from":"to"}. Returns 0, or -1 with a message in *problem that names the file and the line. */
int joint_map_read(struct args *args, struct text *problem);
