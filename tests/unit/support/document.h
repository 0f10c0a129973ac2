/* document.h - the documents of the protocol, which tests hold against tables and code. */
#pragma once

/* All of the file, a path from the project's root, where tests run; free() it. Fails the test when there is none. */
char *document_read(const char *path);
