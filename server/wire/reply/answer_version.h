/* answer_version.h - the version of the bytes of answers. */
#pragma once

#include "base/version.h"

/* Increment it with every change that alters the bytes of any answer for the same request and model: floats whose last
 * bits differ, a new JSON field, pixels. Entity tags hash it, so a client's cached copy from before the change no
 * longer matches. Two commits with one version answer alike. It does not cover the result of an import, because entity
 * tags contain the model's content hash. tests/answers.py stores the version with the tests' expected answers; a test
 * fails when they change and the version does not. */
#define ANSWER_VERSION 8

/* The part of entity tags that depends on neither model nor request, as text. Exported files name the release that made
 * them. */
#define ANSWER_VERSION_TEXT_(number) #number
#define ANSWER_VERSION_TEXT(number)  ANSWER_VERSION_TEXT_(number)
#define ANSWER_MAKER                 "posed " POSED_RELEASE " answers " ANSWER_VERSION_TEXT(ANSWER_VERSION)
