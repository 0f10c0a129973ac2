/* missing_path.h - the message for an argument that names no file. */
#pragma once

/* Prints why the file cannot be found, of errno, and the most similar name of its folder. */
void missing_path_report(const char *given);
