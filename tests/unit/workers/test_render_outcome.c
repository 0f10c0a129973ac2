#include "tests/unit/support/check.h"

#include "daemon/renderer/render_outcome.h"
#include "base/err.h"

#include <signal.h>
#include <stdio.h>

TEST(render_outcome_of_every_way_to_end)
{
    static const struct {
        struct render_exit end;
        const char *words;
        int code;
        const char *why;
    } rows[] = {
        {{.child.term_signal = SIGSEGV}, "", ERR_RENDER_FAILED, "was killed by signal 11 (Segmentation fault)"},
        {{.child.term_signal = SIGKILL}, "", ERR_RENDER_MEMORY, "was killed by signal 9 (Killed)"},
        {{.child.term_signal = SIGKILL, .is_killed = true}, "", ERR_RENDER_FAILED, "was ended by the server"},
        {{.child.term_signal = SIGKILL, .child.is_timeout = true},
         "",
         ERR_RENDER_FAILED,
         "took too long and was killed"},
        {{.child.term_signal = SIGXCPU}, "", ERR_RENDER_FAILED, "used up the processor time of its life"},
        {{.child.term_signal = SIGKILL, .is_killed = true, .breach = "sent nonsense"},
         "",
         ERR_RENDER_FAILED,
         "sent nonsense and was killed"},
        {{.child.term_signal = SIGABRT}, "x\n", ERR_RENDER_FAILED, "was killed by signal 6 (Aborted): x"},
        {{.child.term_signal = SIGABRT},
         "LLVM ERROR: out of memory\n",
         ERR_RENDER_MEMORY,
         "was killed by signal 6 (Aborted): LLVM ERROR: out of memory"},
        {{.child.term_signal = SIGABRT},
         "  what():  std::bad_alloc\n",
         ERR_RENDER_MEMORY,
         "was killed by signal 6 (Aborted):   what():  std::bad_alloc"},
        {{.child.term_signal = SIGSYS},
         "refused system call 99999\n",
         ERR_RENDER_SYSCALL,
         "was stopped at system call 99999, which no renderer may do: refused system call 99999"},
        {{.child.status = 3}, "first\nlast\tline \xff\n \r\n", ERR_RENDER_FAILED, "ended with status 3: last?line ?"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char why[RENDER_WHY_SIZE];
        struct render_exit end = rows[i].end;
        end.child.output = rows[i].words;
        assert_int_equal(render_outcome(&end, why), rows[i].code);
        assert_string_equal(why, rows[i].why);
    }
}
