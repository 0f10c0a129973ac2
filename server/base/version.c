/* version.c - posed_version() for programs that are not linked with the name of their build. */
#include "base/version.h"

const char *posed_version(void) { return POSED_RELEASE; }
