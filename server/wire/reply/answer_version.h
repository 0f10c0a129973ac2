/* answer_version.h - the number that stands for the bytes of answers. */
#pragma once

#include "base/version.h"

/* Increment it with every change after which any answer to the same request about the same model has other bytes than
 * before: floats whose last bits differ, a field of JSON that is new, pixels. Entity tags hash it, so that no client
 * takes its copy for an answer that is made otherwise now; two commits with one number answer alike. What an import
 * makes is not part of it: entity tags have the model's content hash. tests/answers.py keeps the stored answers of the
 * tests beside the number, and a test fails where they changed and it stayed. */
#define ANSWER_VERSION 1

/* What entity tags are made of beside model and request, as text. Exported files name the release that made them. */
#define ANSWER_VERSION_TEXT_(number) #number
#define ANSWER_VERSION_TEXT(number)  ANSWER_VERSION_TEXT_(number)
#define ANSWER_MAKER                 "posed " POSED_RELEASE " answers " ANSWER_VERSION_TEXT(ANSWER_VERSION)
