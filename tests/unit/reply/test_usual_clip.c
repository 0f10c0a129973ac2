/* Selects the clip of a model if the request names none. */
#include "wire/reply/usual_clip.h"
#include "tests/unit/support/check.h"

#include <string.h>

/* The choice among clips of these names, one after the other with commas between; "-" is a clip without a name. */
static uint32_t choice(const char *names)
{
    static struct clip clips[8];
    struct model model = {.text = names, .clips = clips};
    for (const char *at = names; at != NULL; at = strchr(at, ',') == NULL ? NULL : strchr(at, ',') + 1) {
        const uint32_t size_bytes = (uint32_t)strcspn(at, ",");
        const bool is_named = !(size_bytes == 1 && *at == '-');
        clips[model.clip_count++] =
            (struct clip){.name = {is_named ? (uint32_t)(at - names) : STR_NONE, is_named ? size_bytes : 0}};
    }
    return usual_clip(&model);
}

TEST(usual_clip_waits)
{
    static const struct {
        const char *names;
        uint32_t choice;
    } ROWS[] = {
        {"Run,Walk", 0},
        {"-,-", 0},
        {"Run,-,Idle", 2},
        {"Death,Stand,IDLE_02,idle", 2},
        {"Run,CharacterArmature|Idle_Gun,CharacterArmature|Idle", 2},
        {"attack,mixamo:stand01,walk", 1},
        {"Run,IdleToWalk,walk_to_idle,StandUp,BreathingIdle", 4},
        {"Run,Standing,Crouch_Idle", 1}, /* a name of one word says it plainly */
        {"Run,combatStand,LookIdle", 2},
        {"bystander,idleness,understand", 0},
        {"Idle|Run,Walk", 0}, /* the armature's name */
        {"Rig|Run|Layer0,Rig|Idle|BaseLayer,Rig|Idle|Base Layer", 1},
        {"Run|Layer0,Idle,|Layer", 1},
        {"Run,Crouch_Wait,Rest,STAND_2", 3},
        {"Run,Crouch_Wait,Rest", 2},
        {"Run,HeavyBreathing,Wait", 2},
        {"Run,Breathing02,Wait", 1},
        {"Run,BreathingHeavily,RestToRun", 1},
        {"Run,staying,waiter,forest,breather", 1},
        {"", 0},
        {"|,:,Idle", 2},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        assert_int_equal(choice(ROWS[i].names), ROWS[i].choice);
}

TEST(usual_clip_looks_at_little)
{
    enum { NAME_BYTES_MOST = 128, CLIPS_MOST = 1024 };
    static struct clip many[CLIPS_MOST + 1];
    char names[64 + NAME_BYTES_MOST] = "Run,Idle ";
    memset(names + strlen(names), '1', NAME_BYTES_MOST - strlen("Idle "));
    assert_int_equal(choice(names), 1);
    strcat(names, "1");
    assert_int_equal(choice(names), 0);
    strcat(names, ",Idle");
    assert_int_equal(choice(names), 2);
    for (uint32_t c = 0; c < CLIPS_MOST + 1; c++)
        many[c].name = (struct str){STR_NONE, 0};
    for (uint32_t c = CLIPS_MOST; c + 1 >= CLIPS_MOST; c--) {
        const struct model model = {.text = "Idle", .clips = many, .clip_count = CLIPS_MOST + 1};
        many[c].name = (struct str){0, 4};
        assert_int_equal(usual_clip(&model), c == CLIPS_MOST ? 0 : c);
    }
}

TEST(usual_clip_is_not_one_of_harm_or_calibration)
{
    static const struct {
        const char *names;
        uint32_t choice;
    } ROWS[] = {
        {"Death,Walk", 1},
        {"CharacterArmature|Death,CharacterArmature|HitReact,CharacterArmature|Run", 2},
        {"Rig|DEATH|Layer0,Rig|Run|Layer0", 1},
        {"Falling Idle,Jump", 1}, /* it falls, whatever else the name says */
        {"hurt_01,-", 1},
        {"Hit,Fall,Death", 0},     /* all alike */
        {"Death,T-Pose,Fall", 1},  /* a calibration is better than that */
        {"TPose,RestPose,Run", 2}, /* a rest pose is nothing that rests */
        {"BindPose,IDLE", 1},
        {"Deathly,Whit,Footfall,Idle", 3}, /* whole words count */
        {"Whit,Walk", 0},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        assert_int_equal(choice(ROWS[i].names), ROWS[i].choice);
}
