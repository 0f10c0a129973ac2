/* sandbox_contract.h - what posed tells its worker programs about their sandbox, and how it reads their reports.
 *
 * Options of both programs:
 *   --sandbox try|require|off   as posed's own option of that name
 *   --attempt NAME              enter the sandbox as for work, write the report line, try the forbidden call NAME,
 *                               report the outcome and exit; "report" tries nothing, "list" names all on stdout
 * All lines go to stderr. */
#pragma once

#define SANDBOX_MODES "try|require|off"
enum sandbox_mode {
    SANDBOX_TRY,     /* whatever the machine allows */
    SANDBOX_REQUIRE, /* no work without the filter on system calls */
    SANDBOX_OFF,     /* limits only */
};
/* The words of SANDBOX_MODES, by mode. */
#define SANDBOX_MODE_WORDS                                                                                             \
    {                                                                                                                  \
        "try", "require", "off"                                                                                        \
    }

/* The report line: SANDBOX_REPORT, then "name=value" pairs separated by "; ". The first is SANDBOX_FILTERED where the
 * filter on system calls is in place. One begins with SANDBOX_NO_CAPABILITIES where the process has none. */
#define SANDBOX_REPORT          "sandbox: "
#define SANDBOX_FILTERED        "system calls=filtered"
#define SANDBOX_NO_CAPABILITIES "capabilities=none"
/* The last line of a process that made a forbidden call, followed by the call's decimal number. The process then dies
 * of SIGSYS. */
#define SANDBOX_REFUSED "refused system call "
/* The attempt that runs until the limit on processor time, which should be low. */
#define ATTEMPT_PROCESSOR_TIME "processor-time"
/* The outcome of an attempt that the process survived. A reason follows SANDBOX_FAILED. */
#define SANDBOX_POSSIBLE "possible"
#define SANDBOX_FAILED   "failed: "
