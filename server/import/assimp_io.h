/* assimp_io.h - assimp's view of files: nothing but the opener. One thread. */
#pragma once

#include "opener.h"

#include <assimp/cfileio.h>

/* Fills *io, which borrows the opener. Reading only: files opened for writing are refused. */
void assimp_io_init(struct aiFileIO *io, struct opener *opener);
