/* retarget_report.h - reports nodes of some clips, and joints of the model, that have no partner. Pure; any thread.
 *
 * A report can be made before or after retarget_clip(). It borrows the retarget. */
#pragma once

#include "base/buf.h"
#include "anim/retarget/retarget.h"

/* A node of the clips' file that has channels without a partner. */
struct retarget_miss {
    uint32_t node; /* in the clips' file */
    enum retarget_reason reason;
};

struct retarget_report {
    const struct retarget *retarget;
    struct retarget_miss *misses; /* [miss_count], in the order of the channels */
    uint32_t miss_count;
    double slide;             /* the retarget's, or that of the added clips */
    struct limb_angles limbs; /* likewise */
    uint8_t *is_moved;        /* [node_count of the model]: moved by a channel of the added clips */
    uint8_t *is_missed;       /* private: [node_count of the clips' file] */
};

void retarget_report_init(struct retarget_report *report, const struct retarget *retarget);
void retarget_report_fini(struct retarget_report *report);

/* Adds a clip of the clips' file, or POSE_REST, which moves nothing. */
void retarget_report_add(struct retarget_report *report, int32_t clip);

/* True for a joint of the model's skins that no clip of the report moves and that stays at rest. */
bool retarget_report_is_still(const struct retarget_report *report, uint32_t node);

enum { RETARGET_TEXT_SIZE = 1536 };

/* Slides are reported in thousandths of the leg; above RETARGET_SLIDE_WARNED with a warning. */
uint32_t retarget_slide_thousandths(double slide);
enum { RETARGET_SLIDE_WARNED = 20 };
/* True when limbs of a clip by rest point elsewhere than the source's by more than LIMB_WARNED_DEG. */
bool retarget_report_limbs_differ(const struct retarget_report *report);
/* Returns the number of warnings in such a text of rests that do not stand, of limbs that point elsewhere, of
 * faces that the model lacks, and of sides that are swapped. */
uint32_t retarget_text_warnings(const struct buf *text);
/* Returns the slide in a text of retarget_report_put(), or -1 when no clip in it is by rest. */
int32_t retarget_text_slide(const struct buf *text);

/* Appends the reports of all files that one answer takes clips from, as one line of printable ASCII for a header (an
 * Integer with parameters, RFC 8941, 3.3.1): the number of nodes without a partner, their names, the number of joints
 * that none of the clips moves, their names:
 *   2;names="tail,%C3%A4";joints=1;joint_names="toe"
 * For rules that rename nothing their number and texts follow: ;rules=1;rule_texts="mixamo%2A%3D%2A". Names are
 * percent-encoded except for unreserved characters (RFC 3986, 2.3), and only as many are listed as fit. "#7" is node 7,
 * which has no name. model: the model that is moved. own_clips: clips of its own that the same answer plays and that
 * move joints too; may include POSE_REST. report_count > 0. Appends at most RETARGET_TEXT_SIZE - 1 bytes. */
void retarget_report_put(const struct retarget_report *reports, uint32_t report_count, const struct model *model,
                         const int32_t *own_clips, uint32_t own_count, struct buf *out);
/* True when such a line reports rules that rename nothing. */
bool retarget_text_has_idle_rules(const struct buf *text);
