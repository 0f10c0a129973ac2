/* sandbox_contract.h - what posed tells its worker programs about their sandbox, and what it reads of their words.
 *
 * Options of both programs:
 *   --sandbox try|require|off   as posed's own option of that name
 *   --attempt NAME              enter the sandbox as for work, write the report line, try the forbidden call NAME, say
 *                               how it went and exit; "report" tries nothing, "list" names all on stdout
 * All lines go to stderr. */
#pragma once

#define SANDBOX_MODES "try|require|off"
enum sandbox_mode {
    SANDBOX_TRY,     /* what the machine lets through */
    SANDBOX_REQUIRE, /* no work without the filter on system calls */
    SANDBOX_OFF,     /* limits only */
};
/* The words of SANDBOX_MODES, by mode. */
#define SANDBOX_MODE_WORDS                                                                                             \
    {                                                                                                                  \
        "try", "require", "off"                                                                                        \
    }

/* The report line: SANDBOX_REPORT, then "name=value" separated by "; ", the first of them SANDBOX_FILTERED where the
 * filter on system calls is in place. One begins with SANDBOX_NO_CAPABILITIES where the process has none. */
#define SANDBOX_REPORT          "sandbox: "
#define SANDBOX_FILTERED        "system calls=filtered"
#define SANDBOX_NO_CAPABILITIES "capabilities=none"
/* The last words of a process that made a call it may not make; its number in decimal follows. It then dies by SIGSYS.
 */
#define SANDBOX_REFUSED "refused system call "
/* The attempt that ends when the limit on processor time does, which is better a low one. */
#define ATTEMPT_PROCESSOR_TIME "processor-time"
/* How an attempt went, when the process lived: the second is followed by the reason. */
#define SANDBOX_POSSIBLE "possible"
#define SANDBOX_FAILED   "failed: "
