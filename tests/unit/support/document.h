/* document.h - reads the documents of the protocol, which tests compare with tables and code. */
#pragma once

/* Reads a whole file. path: from the project's root, where tests run. The caller frees it. Fails the test if it does
 * not exist. */
char *document_read(const char *path);
