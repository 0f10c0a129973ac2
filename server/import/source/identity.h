/* identity.h - which importer this is: two with the same identity make the same model of the same files. */
#pragma once

enum { IDENTITY_SIZE = 65 };

/* SHA-256, in hex, over the build ids (ELF note NT_GNU_BUILD_ID) of the program and of every library that is loaded, in
 * the order of loading: a library that is upgraded in place changes it. An object without a build id is hashed by its
 * file's name, size and time. Call it before the sandbox, which allows no access to files. */
void identity_make(char out[IDENTITY_SIZE]);
