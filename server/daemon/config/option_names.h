/* option_names.h - the names of posed's options and of their variables, without their values: finds what a misspelt one
 * meant. posectl has it too. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { VARIABLE_SIZE = 64, VARIABLE_SENTENCE_SIZE = 256 };

/* Returns the option that `name` most likely means: what other servers call it so, or the most similar; or NULL. */
const char *option_names_meant(const char *name, size_t name_bytes);

/* Writes "POSED_CACHE_BYTES" for "cache-bytes". */
void option_names_put_variable(const char *option, char out[VARIABLE_SIZE]);

/* Looks at one entry of environ, "NAME=value". Returns true, with a sentence for a warning, if the name begins with
 * POSED_ and no program of posed, no test, recipe or Compose file of it reads it. Variables that Kubernetes makes for a
 * Service are never meant for posed. An empty value counts as unset. No value is shown. *is_similar: the sentence has a
 * known name that the variable resembles. */
bool option_names_unread(const char *entry, bool *is_similar, char sentence[VARIABLE_SENTENCE_SIZE]);
