/* import_version.h - the number that stands for what an import makes of a file. */
#pragma once

/* Increment it with every change after which an import makes other bytes of some file than before: in a reader, in
 * server/anim/bake, server/anim/compiled or server/anim/kernel, in what textures become. Models on disk that were made
 * under another number are imported anew; those of a server that was only built again, or upgraded without such a
 * change, stay. tests/api/formats/test_import_version.py fails where a change shows and the number stayed. */
enum { IMPORT_VERSION = 4 };
