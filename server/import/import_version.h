/* import_version.h - the version of the data that an import makes from a file. */
#pragma once

/* Increment it with every change after which an import makes other bytes from some file than before: in a reader, in
 * server/anim/bake, server/anim/compiled or server/anim/kernel, or in texture conversion. The server imports models on
 * disk again if they were made with another number. It keeps those of a server that was only rebuilt, or upgraded
 * without such a change. tests/api/formats/test_import_version.py fails if a change shows and the number stayed. */
enum { IMPORT_VERSION = 11 };
