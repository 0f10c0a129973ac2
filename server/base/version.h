/* version.h - the version of this server: the Server header, /v1/version, --version and ETags. */
#pragma once

#define POSED_VERSION "0.1.0"
