/* posed.h - a client of posed, the headless animation server: poses, palettes, meshes, pictures and streams over TCP or
 * a Unix socket. Two files, posed.h and posed.c, C99 and POSIX sockets; usable from C++. No global state.
 *
 *   static unsigned char memory[1 << 20];
 *   struct posed server = {0};
 *   struct posed_options options = {0};
 *   options.memory = memory;
 *   options.memory_bytes = sizeof memory;
 *   struct posed_model dragon;
 *   struct posed_query query;
 *   struct posed_frames frames;
 *   double time_s = 0.5;
 *   posed_query_init(&query);
 *   query.times = &time_s;
 *   query.time_count = 1;
 *   if (posed_connect(&server, "127.0.0.1:7879", &options) < 0 || posed_open(&server, "dragon.glb", &dragon) < 0 ||
 *       posed_palette(&server, &dragon, &query, &frames) < 0)
 *       fprintf(stderr, "%s\n", server.error.message);
 *   else
 *       upload(posed_frames_floats(&frames, 0, 0), frames.blocks[0].count);
 *
 * protocol/answers.md defines the numbers. In short: matrices are 4x4 for column vectors, column-major (row r, column c
 * at 4*c+r), unless the query asks for another layout. Quaternions are x, y, z, w. Units and axes are the file's own.
 * *scene*: the file's scene root; *local*: relative to the parent; *bind*: vertices as authored. Times are in seconds.
 *
 * Ownership: the caller owns everything: the struct posed, the memory for received packets, and the memory that a query
 * points to. The query's memory is read during the call only. Results point into the connection's memory and are valid
 * until the next call that receives on that connection.
 *
 * Reconnecting: if posed_connect() made a connection and it ends, another one replaces it, and the caller notices only
 * a delay. Models, streams and watches keep their numbers. Requests without an answer are sent once more, in their
 * order; no request changes anything on the server. A stream goes on with the tick after the last one that arrived. Its
 * position stands still meanwhile. A watch reports a change that happened meanwhile. See posed_options.keep_memory.
 *
 * Threads: use a connection in one thread at a time. Different connections are independent.
 *
 * Errors: a function that can fail returns 0 (or a positive number, if its comment says so), or one of enum
 * posed_status. Those are negative, and a message is in server->error. The connection stays usable after POSED_E_SERVER
 * (the server's answer to this request), POSED_E_ARGUMENT, _TOO_LARGE, _AGAIN and _PENDING. After any other error call
 * posed_disconnect().
 *
 * The floats are used in place, so the host must be little-endian, like the protocol. posed.c does not compile on other
 * hosts. */
#ifndef POSED_H
#define POSED_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define POSED_PROTOCOL 1

enum {
    POSED_ALIGN = 16,        /* of packets and of every array of floats in them */
    POSED_HEADER_BYTES = 32, /* of a packet */
    POSED_MESSAGE_MAX = 480, /* the server writes no longer ones */
    POSED_SEND_BYTES = 4096, /* for queued requests, if the caller provides no memory for them */
    POSED_KEEP_BYTES = 8192  /* the same, for packets that another connection repeats */
};

enum posed_status {
    POSED_E_ARGUMENT = -1,  /* the function was used wrongly; nothing was sent */
    POSED_E_SYSTEM = -2,    /* a socket call failed: error.system is errno */
    POSED_E_CLOSED = -3,    /* the connection ended, and no other one replaced it: error.tries, .waited_ms */
    POSED_E_TIMEOUT = -4,   /* options.timeout_ms has passed */
    POSED_E_PROTOCOL = -5,  /* the bytes break the protocol: not posed, a newer version, or a damaged connection */
    POSED_E_TOO_LARGE = -6, /* the packet does not fit the memory; error.needed_bytes would suffice */
    POSED_E_SERVER = -7,    /* an error packet: error.code and error.message are the server's */
    POSED_E_AGAIN = -8,     /* the queue of requests is full, and the call may not wait */
    POSED_E_PENDING = -9    /* a blocking call while answers to posed_send() have not been read */
};

/* Numbers of the server's errors (protocol/errors.def), for error.code. Treat an unknown one as internal. */
enum posed_code {
    POSED_ERR_BAD_REQUEST = 1,
    POSED_ERR_UNKNOWN_PARAMETER = 2,
    POSED_ERR_BAD_PARAMETER = 3,
    POSED_ERR_DUPLICATE_PARAMETER = 4,
    POSED_ERR_MISSING_PARAMETER = 5,
    POSED_ERR_BAD_PATH = 6,
    POSED_ERR_TOO_MANY_FRAMES = 7,
    POSED_ERR_FORBIDDEN = 8,
    POSED_ERR_NOT_FOUND = 9,
    POSED_ERR_METHOD_NOT_ALLOWED = 10,
    POSED_ERR_REQUEST_TIMEOUT = 11,
    POSED_ERR_BODY_TOO_LARGE = 12,
    POSED_ERR_URI_TOO_LONG = 13,
    POSED_ERR_HEADERS_TOO_LARGE = 14,
    POSED_ERR_UNSUPPORTED_MEDIA_TYPE = 15,
    POSED_ERR_EXPECTATION_FAILED = 70,
    POSED_ERR_UNAUTHORIZED = 16,
    POSED_ERR_ORIGIN_NOT_ALLOWED = 17,
    POSED_ERR_HOST_NOT_ALLOWED = 18,
    POSED_ERR_CONFLICT = 19,
    POSED_ERR_MODEL_NOT_FOUND = 20,
    POSED_ERR_CLIP_NOT_FOUND = 21,
    POSED_ERR_SKIN_NOT_FOUND = 22,
    POSED_ERR_JOINT_NOT_FOUND = 23,
    POSED_ERR_MESH_NOT_FOUND = 24,
    POSED_ERR_AMBIGUOUS_NAME = 25,
    POSED_ERR_HASH_MISMATCH = 26,
    POSED_ERR_CAMERA_NOT_FOUND = 27,
    POSED_ERR_VARIANT_NOT_FOUND = 64,
    POSED_ERR_TEXTURE_NOT_FOUND = 67,
    POSED_ERR_MORPH_NOT_FOUND = 77,
    POSED_ERR_EXPRESSION_NOT_FOUND = 78,
    POSED_ERR_LIGHT_NOT_FOUND = 68,
    POSED_ERR_NOT_IN_GLTF = 65,
    POSED_ERR_BAD_KEYS = 29,
    POSED_ERR_UNKNOWN_FORMAT = 30,
    POSED_ERR_LFS_POINTER = 31,
    POSED_ERR_EMPTY_FILE = 32,
    POSED_ERR_NOT_A_MODEL = 33,
    POSED_ERR_UNSUPPORTED_FILE = 76,
    POSED_ERR_BAD_MODEL = 34,
    POSED_ERR_MODEL_LIMIT = 35,
    POSED_ERR_UNSUPPORTED_EXTENSION = 36,
    POSED_ERR_COMPANION_MISSING = 37,
    POSED_ERR_IMPORT_CRASHED = 38,
    POSED_ERR_IMPORT_TIMEOUT = 39,
    POSED_ERR_IMPORT_MEMORY = 40,
    POSED_ERR_BAD_BAKE = 41,
    POSED_ERR_NOT_FINITE = 42,
    POSED_ERR_NOTHING_TO_DRAW = 43,
    POSED_ERR_NOT_RIGID = 44,
    POSED_ERR_CLIP_NO_MATCH = 45,
    POSED_ERR_NO_HUMANOID = 66,
    POSED_ERR_IMPORT_ABORTED = 46,
    POSED_ERR_IMPORT_CPU = 47,
    POSED_ERR_IMPORT_SYSCALL = 48,
    POSED_ERR_IMPORT_TOO_LARGE = 49,
    POSED_ERR_INTERNAL = 50,
    POSED_ERR_RENDER_FAILED = 51,
    POSED_ERR_RENDER_TIMEOUT = 52,
    POSED_ERR_RENDER_CPU = 75,
    POSED_ERR_OVERLOADED = 53,
    POSED_ERR_SHUTTING_DOWN = 54,
    POSED_ERR_NO_MEMORY = 55,
    POSED_ERR_UNAVAILABLE = 56,
    POSED_ERR_MODEL_CHANGING = 57,
    POSED_ERR_RENDER_SYSCALL = 58,
    POSED_ERR_RENDER_MEMORY = 59,
    POSED_ERR_STORAGE = 60,
    POSED_ERR_BAD_HITBOXES = 74,
    POSED_ERR_IMPORT_KILLED = 62,
    POSED_ERR_BATCH_CPU = 63,
    POSED_ERR_SOURCE_UNAVAILABLE = 69
};

/* The kinds of packets (protocol/packets.def). */
enum posed_kind {
    POSED_OPEN = 1,
    POSED_CLOSE = 2,
    POSED_FIND = 3,
    POSED_INFO = 4,
    POSED_PALETTE = 5,
    POSED_POSE = 6,
    POSED_MESH = 7,
    POSED_RENDER = 8,
    POSED_CALL = 9,
    POSED_SUBSCRIBE = 10,
    POSED_CONTROL = 11,
    POSED_CREDIT = 12,
    POSED_UNSUBSCRIBE = 13,
    POSED_WATCH = 14,
    POSED_PING = 15,
    POSED_CROWD = 16,
    POSED_RAYCAST = 17,
    POSED_HELLO = 128,
    POSED_ERROR = 129,
    POSED_DONE = 130,
    POSED_OPENED = 131,
    POSED_FOUND = 132,
    POSED_JSON = 133,
    POSED_FRAMES = 134,
    POSED_PNG = 135,
    POSED_GLB = 136,
    POSED_OTHER = 137,
    POSED_ENTITIES = 138,
    POSED_HITS = 139,
    POSED_STREAM = 192,
    POSED_CHANGED = 193
};

/* posed_packet.flags */
enum {
    POSED_HEADER_CHANGED = 1, /* the model's content has changed */
    POSED_HEADER_LAST = 2,    /* error: the stream `id` has ended with it */
    POSED_HEADER_CLOSING = 4, /* error: the server closes the connection after it */
    POSED_HEADER_STALE = 8    /* answer or frame: the model's files cannot be read now; shows their last content */
};

/* --- packets ---------------------------------------------------------------------------------------------------- */

/* A packet of the server. Its pointers point into the bytes it was parsed from. */
struct posed_packet {
    uint16_t kind;             /* enum posed_kind, or one from a newer server */
    uint16_t flags;            /* POSED_HEADER_ */
    uint16_t code;             /* 0, or the number of the error */
    uint32_t id;               /* of its request */
    uint32_t model;            /* handle, or 0 */
    uint32_t generation;       /* of the model's content */
    uint32_t warnings;         /* about the model and its clip files */
    const unsigned char *data; /* the answer, aligned to 16 bytes where the packet is */
    size_t data_bytes;
    const char *notes; /* lines "Name: value\n" */
    size_t notes_bytes;
};

/* Parses the packet at the beginning of `bytes`. Pure. Returns 1 and fills `out` if the packet is complete, 0 if bytes
 * are missing, or POSED_E_PROTOCOL. *packet_bytes: its length with padding; 0 while unknown. */
int posed_parse(const void *bytes, size_t size_bytes, struct posed_packet *out, size_t *packet_bytes);

/* Returns the value of a note and its length. The value is not terminated by NUL. NULL: the packet has no note of that
 * name. */
const char *posed_note(const struct posed_packet *packet, const char *name, size_t *value_bytes);

/* The server's version and limits. */
struct posed_hello {
    uint16_t version;
    uint32_t payload_max; /* bytes of a request's payload */
    uint32_t models_max;  /* handles open at the same time */
    uint32_t streams_max; /* streams at the same time */
    uint64_t answer_max;  /* bytes of an answer */
    uint32_t frames_max;  /* times in one request */
    uint32_t picture_side_max;
    double rate_max; /* frames a second of a stream */
    char server[25]; /* version, terminated by NUL */
};

struct posed_error {
    int status;             /* enum posed_status */
    int system;             /* errno, with POSED_E_SYSTEM */
    uint16_t code;          /* enum posed_code, with POSED_E_SERVER */
    uint32_t retry_after_s; /* when to try again; 0 if trying again does not help */
    uint64_t offset;     /* malformed packet: the offset of the wrong byte in everything that was sent; else 2^64 - 1 */
    size_t needed_bytes; /* POSED_E_TOO_LARGE: memory that would suffice */
    uint32_t tries;      /* POSED_E_CLOSED: number of attempts to reconnect */
    uint32_t waited_ms;  /* POSED_E_CLOSED: duration of the attempts */
    char message[POSED_MESSAGE_MAX]; /* UTF-8, terminated by NUL, cut to this length */
    const char *json; /* the error's JSON body within the packet's bytes, not terminated by NUL; or NULL */
    size_t json_bytes;
    char server[64]; /* POSED_E_SERVER: who said so, the address of posed_connect(), "127.0.0.1:7879"; else "" */
};

/* A handle: the server's number for a model. It stays valid when the file changes. */
struct posed_model {
    uint32_t handle;
    uint32_t generation; /* of the last answer's content; when it rises, indices may mean something else */
    uint32_t wanted;     /* 0, or the generation that requests require: if it differs, they fail with hash_mismatch */
    unsigned char content_hash[32]; /* of the content that was opened */
    uint32_t node_count, skin_count, clip_count, mesh_count;
};

enum posed_what { POSED_WHAT_CLIP = 1, POSED_WHAT_SKIN = 2, POSED_WHAT_NODE = 3, POSED_WHAT_MESH = 4 };
enum { POSED_FOUND_NAMED = 1, POSED_FOUND_RIGID = 2 };

struct posed_found {
    uint16_t what;  /* enum posed_what */
    uint16_t flags; /* POSED_FOUND_NAMED: it has a name; POSED_FOUND_RIGID: a skin made for a mesh node without one */
    uint32_t index; /* the index that queries take */
    int32_t node;   /* node: its parent; skin: the first mesh node that uses it; -1: none */
    double duration_s, start_s; /* clip: the times of its last and first key */
    const uint32_t *joints;     /* skin: [joint_count] nodes, in the palette's order */
    uint32_t joint_count;
    const char *name; /* not terminated by NUL */
    uint32_t name_bytes;
};

/* One frame of a stream. */
struct posed_stream_frame {
    uint64_t tick;               /* the number of the frame, counting skipped ones */
    uint32_t skipped;            /* frames before this one that were not sent */
    uint32_t credit;             /* the remaining credit */
    const unsigned char *frames; /* for posed_read_frames() */
    size_t frames_bytes;
};

/* A watched model has changed, or can no longer be read (packet->code). */
struct posed_change {
    const unsigned char *content_hash; /* [32]; zeros: there is no content */
    const char *message;               /* why there is no content, not terminated by NUL */
    size_t message_bytes;
};

/* Parse the payload of a packet into a struct. Pure; they check everything. Return 0, or POSED_E_PROTOCOL if the packet
 * has another kind, is too short, or its counts exceed it. */
int posed_read_hello(const struct posed_packet *packet, struct posed_hello *out);
int posed_read_error(const struct posed_packet *packet, struct posed_error *out);
int posed_read_opened(const struct posed_packet *packet, struct posed_model *out);
int posed_read_found(const struct posed_packet *packet, struct posed_found *out);
int posed_read_stream(const struct posed_packet *packet, struct posed_stream_frame *out);
int posed_read_changed(const struct posed_packet *packet, struct posed_change *out);

/* --- frames: the floats of an answer (protocol/frames.md) ------------------------------------------------------------
 */

enum posed_layout { POSED_MAT4 = 0, POSED_MAT3X4 = 1, POSED_DUALQUAT = 2 };
enum posed_wrap { POSED_LOOP = 0, POSED_CLAMP = 1, POSED_MIRROR = 2 };
enum posed_space { POSED_SPACE_SCENE = 0, POSED_SPACE_ROOT = 1, POSED_SPACE_MESH = 2 };

enum posed_block_kind {
    POSED_BLOCK_PALETTE = 1,      /* matrices: the joints of skin `index`, in its order */
    POSED_BLOCK_SCENE = 2,        /* matrices: scene_from_node */
    POSED_BLOCK_LOCAL = 3,        /* 10 floats: translation x y z, rotation x y z w, scale x y z */
    POSED_BLOCK_LOCAL_MATRIX = 4, /* matrices: parent_from_node of the nodes in the sheared block */
    POSED_BLOCK_POSITIONS = 5,    /* 3 floats a vertex, scene space */
    POSED_BLOCK_NORMALS = 6,      /* 3 floats a vertex, scene space */
    POSED_BLOCK_ROOT_MOTION = 7,  /* 4 floats: translation x y z, yaw in degrees */
    POSED_BLOCK_NODES = 16,       /* u32: the nodes selected */
    POSED_BLOCK_SHEARED = 17,     /* u32: indices into the local block */
    POSED_BLOCK_REST = 18,        /* 3 floats a vertex, as in the file */
    POSED_BLOCK_INDICES = 19,     /* u32: vertices of the same entry */
    POSED_BLOCK_SPAN = 20,        /* 4 doubles: from, to, speed, phase */
    /* With POSED_QUERY_WEIGHTS: */
    POSED_BLOCK_INFLUENCE_FIRSTS = 21,  /* u32: where each vertex' influences begin, and where the last one's end */
    POSED_BLOCK_INFLUENCE_JOINTS = 22,  /* u32: joints of the entry's skin */
    POSED_BLOCK_INFLUENCE_WEIGHTS = 23, /* 1 float an influence */
    POSED_BLOCK_DUAL_WEIGHTS = 24,      /* 1 float a vertex, for skins with the method "blended" */
    POSED_BLOCK_JOINT_NODES = 25,       /* u32: the nodes of the joints of skin `index` */
    POSED_BLOCK_JOINT_FROM_BIND = 26,   /* matrices: the inverse bind matrices of skin `index` */
    /* Of /v1/keys, which has no frames: */
    POSED_BLOCK_CHANNELS = 27,   /* 6 u32: clip, node, path, interpolation, components, keys */
    POSED_BLOCK_KEY_TIMES = 28,  /* 1 double a key of channel `index` */
    POSED_BLOCK_KEY_VALUES = 29, /* floats: the components of every key of channel `index` */
    /* With attributes=1, which only a call has; as in the file, for each vertex: */
    POSED_BLOCK_REST_NORMALS = 30,     /* 3 floats */
    POSED_BLOCK_TEXCOORDS = 31,        /* 2 floats */
    POSED_BLOCK_SECOND_TEXCOORDS = 32, /* 2 floats */
    POSED_BLOCK_COLORS = 33,           /* 4 bytes: RGBA */
    POSED_BLOCK_TANGENTS = 34,         /* 4 floats: xyz, and the side of the bitangent */
    /* Of /v1/environment, which has no frames: */
    POSED_BLOCK_HARMONICS = 35, /* 9 colours, 3 floats each */
    POSED_BLOCK_LIGHT_MAP = 36  /* 4 half floats (uint16_t) a texel of level `index` */
};

/* An array of items of equal size. It is in every frame, or in the answer once. */
struct posed_block {
    uint16_t kind;           /* enum posed_block_kind; skip unknown kinds of newer servers */
    uint16_t once;           /* 1: once in the answer; 0: in every frame */
    uint32_t index;          /* palette: the skin; mesh: the entry; keys: the channel; environment: the level; else 0 */
    int32_t node, primitive; /* mesh: those of the entry; else -1 */
    uint32_t count;          /* number of items */
    uint32_t item_bytes;     /* size of an item; there are no gaps */
    uint64_t offset;         /* from the first byte of the answer, or of the frame */
};

enum { POSED_BLOCKS_KEPT = 8 };

struct posed_frames {
    uint16_t layout; /* enum posed_layout */
    uint16_t kind;   /* 1 palette, 2 pose, 3 mesh, 4 keys, 5 environment */
    uint16_t space;  /* of a palette: enum posed_space */
    int32_t clip;    /* index, -1 for the rest pose */
    uint32_t wrap;   /* enum posed_wrap */
    uint32_t frame_count, block_count;
    double duration_s;                            /* of the clip; 0 for the rest pose */
    const unsigned char *content_hash;            /* [32] */
    struct posed_block blocks[POSED_BLOCKS_KEPT]; /* the first ones; posed_frames_block() has all */
    /* for posed_frames_...() */
    const unsigned char *data;
    size_t data_bytes;
    uint64_t frames_offset, frame_bytes;
};

/* Checks the header and the block table of binary frames: every item of every frame must be within the bytes. `data` is
 * aligned to 16 bytes, as a connection's data is, and must outlive *out. Pure. Returns 0 or POSED_E_PROTOCOL. */
int posed_read_frames(const void *data, size_t data_bytes, struct posed_frames *out);

/* Returns block `block` of the table, or a block of kind 0 if there are fewer. */
struct posed_block posed_frames_block(const struct posed_frames *frames, uint32_t block);
/* Returns the position of the first block with `kind` and `index`, from position `from` on, or -1. */
int posed_frames_find(const struct posed_frames *frames, uint32_t from, int kind, uint32_t index);
/* Returns the items of a block in a frame, in place: [count] of item_bytes. A block with `once` is the same in every
 * frame. NULL: there is no such block or frame. A matrix has 16 (mat4), 12 (mat3x4) or 8 (dualquat) floats, see
 * posed_block_kind. */
const void *posed_frames_items(const struct posed_frames *frames, uint32_t block, uint32_t frame);
/* The same for blocks of floats. NULL also for blocks of integers and doubles. */
const float *posed_frames_floats(const struct posed_frames *frames, uint32_t block, uint32_t frame);
/* The same for blocks of u32. */
const uint32_t *posed_frames_integers(const struct posed_frames *frames, uint32_t block, uint32_t frame);
/* Return the requested time of a frame and the time inside the clip, in seconds; 0 for a frame that does not exist. */
double posed_frames_time(const struct posed_frames *frames, uint32_t frame);
double posed_frames_clip_time(const struct posed_frames *frames, uint32_t frame);

/* --- crowds: many entities in one request (protocol/crowd.md) ------------------------------------------------------
 */

/* Of layers. POSED_REPLACE and POSED_ADD_POSE play a given pose in place of a clip. */
enum { POSED_OVERRIDE = 0, POSED_ADDITIVE = 1, POSED_REPLACE = 2, POSED_ADD_POSE = 3 };
enum { POSED_TRANSLATION = 1, POSED_ROTATION = 2, POSED_SCALE = 4 };
enum { POSED_MASK_NODE = 0, POSED_MASK_SUBTREE = 1, POSED_MASK_EXCEPT = 2 };
enum { POSED_WANT_PALETTE = 0, POSED_WANT_NODES = 1, POSED_ALL_SKINS = -1 };
enum { POSED_CROWD_MODELS_MAX = 64, POSED_LAYERS_MAX = 16 };

/* A clip at one time, or a given pose. protocol/blending.md defines the result of several layers. Start with
 * posed_layer_init(). */
struct posed_layer {
    int32_t clip;  /* index in the file of clip_model, or POSED_REST_POSE; of POSED_REPLACE and POSED_ADD_POSE an index
                      into the crowd's poses, and what is of clips has no effect */
    uint32_t mask; /* which nodes it may move: 1 + an index into the crowd's masks; 0: all */
    double time_s;
    double weight;          /* override: 0 to 1000; other modes: 0 to 1 */
    uint8_t wrap;           /* enum posed_wrap */
    uint8_t mode;           /* POSED_OVERRIDE, POSED_ADDITIVE, POSED_REPLACE, POSED_ADD_POSE */
    uint16_t clip_model;    /* the owner of the clips. 0: the entity's own model; 1 + an index into the crowd's models:
                               that file, whose clips move the nodes of the same names */
    int32_t reference_clip; /* additive: adds the difference from this pose, or from POSED_REST_POSE */
    double reference_time_s;
};

struct posed_mask_node {
    uint32_t node;
    uint16_t scope; /* the node alone; the node and all nodes below it; or neither */
};
struct posed_mask {
    const struct posed_mask_node *nodes; /* [node_count] */
    uint32_t node_count;
};

/* Local transforms of some nodes. */
struct posed_given_node {
    uint32_t node;  /* higher than that of the node before */
    uint16_t parts; /* POSED_TRANSLATION, POSED_ROTATION and POSED_SCALE, added */
};
struct posed_given_pose {
    const struct posed_given_node *nodes; /* [node_count], at least 1 */
    uint32_t node_count;
    const float *numbers; /* of all nodes: translation x y z, rotation x y z w, scale x y z, as far as given */
};

/* Selects matrices of an entity: the palette of a skin, or world_from_node of nodes. {0}: all joints of skin 0. */
struct posed_wanted {
    uint16_t what;         /* POSED_WANT_ */
    int32_t skin;          /* palette: index, or POSED_ALL_SKINS, skin after skin */
    const uint32_t *items; /* [item_count]: palette: indices in the skin's order of joints; nodes: nodes; none: all */
    uint32_t item_count;
};

struct posed_entity {
    uint16_t model;                   /* index into the crowd's models */
    uint16_t wanted;                  /* index into the crowd's wanted */
    uint8_t layout;                   /* enum posed_layout */
    const struct posed_layer *layers; /* [layer_count], at most POSED_LAYERS_MAX; none: the rest pose */
    uint16_t layer_count;
    const double *world_from_scene; /* [12]: the entity's place, as the upper three rows of the matrix, row by row;
                                       NULL: its file's scene is not moved */
};

/* All pointers are borrowed for the call. {0} with models and entities asks for the palette of the first skin. */
struct posed_crowd {
    const struct posed_model *const *models; /* [model_count], at most POSED_CROWD_MODELS_MAX */
    const struct posed_mask *masks;          /* [mask_count] */
    const struct posed_wanted *wanted;       /* [wanted_count]; none: a single {0} */
    const struct posed_entity *entities;     /* [entity_count] */
    const struct posed_given_pose *poses;    /* [pose_count] */
    uint32_t model_count, mask_count, wanted_count, entity_count, pose_count;
    int is_pinned; /* 1: entities fail (hash_mismatch) if the content of their model has changed since it was opened */
};

void posed_layer_init(struct posed_layer *layer); /* Sets the first clip at time 0, weight 1, all nodes. */

/* The answer to a crowd, in place. */
struct posed_entities {
    uint32_t entity_count, model_count, error_count;
    const float *floats; /* [floats_bytes / 4]: entity after entity, in the order of the request; aligned to 16 bytes.
                            Zeros for an entity with an error */
    size_t floats_bytes;
    /* for posed_entities_...() */
    const unsigned char *data;
    size_t data_bytes, errors_at;
};

/* The error of an entity. */
struct posed_entity_error {
    uint32_t entity;
    uint16_t code;       /* enum posed_code */
    const char *message; /* not terminated by NUL */
    size_t message_bytes;
};

/* Checks the tables of an answer: all floats must be within the bytes. `data` is aligned to 16 bytes, as a connection's
 * data is, and must outlive *out. Pure. Returns 0 or POSED_E_PROTOCOL. */
int posed_read_entities(const void *data, size_t data_bytes, struct posed_entities *out);
/* Returns the matrices of an entity, in place: [*count] of 16 (mat4), 12 (mat3x4) or 8 (dualquat) floats. NULL and 0:
 * there is no such entity, or it has an error. */
const float *posed_entity_floats(const struct posed_entities *entities, uint32_t entity, uint32_t *count);
/* Gets error `index` of error_count, which are sorted by entity. Returns 1, or 0 if there is no such error. */
int posed_entity_error(const struct posed_entities *entities, uint32_t index, struct posed_entity_error *out);
/* Returns the content hash [32] of a model, with zeros if the model is missing. NULL: there is no such index. */
const unsigned char *posed_entities_hash(const struct posed_entities *entities, uint32_t model);

/* --- raycasts: rays and moving balls at the entities of a crowd (protocol/hits.md) ----------------------------------
 */

enum posed_fit { POSED_FIT_CAPSULE = 0, POSED_FIT_BOX = 1, POSED_FIT_SPHERE = 2 };
enum posed_test { POSED_TEST_VOLUMES = 0, POSED_TEST_MESH = 1 };
enum posed_which { POSED_NEAREST = 0, POSED_ALL = 1 };

/* What rays may hit: an entity of the crowd. It stands still, or moves from its pose to the pose of another entity. */
struct posed_target {
    uint32_t begin; /* its first pose: index into the crowd's entities */
    uint32_t end;   /* its second pose, of the same model: 1 + an index into the entities; 0: it stands still */
    uint32_t mask;  /* only rays with one of these bits hit it; 0: all rays do */
};

/* A ray, or a moving ball. Only the direction is required; all other members may be 0. */
struct posed_ray {
    double origin[3], direction[3]; /* world; the direction may have any length but 0 */
    double most;                    /* greatest distance of a hit; 0: unlimited */
    double radius;                  /* radius of a ball whose centre moves along the ray; 0: the ray itself */
    double at;                      /* 0 to 1: the moment between first poses and second ones */
    uint32_t mask;                  /* hits only targets with one of these bits; 0: all targets */
    uint32_t ignored;               /* 1 + the target that it passes through, such as the shooter; 0: none */
};

/* All pointers are borrowed for the call. The crowd's wanted and the layouts of its entities must be valid, but have no
 * effect: the crowd of posed_pose_crowd() can be used again. {0} with a crowd and rays casts the rays at the capsules
 * of its entities. */
struct posed_raycast {
    const struct posed_crowd *crowd;
    const struct posed_target *targets; /* [target_count]; NULL: every entity of the crowd, standing still */
    const struct posed_ray *rays;       /* [ray_count] */
    uint32_t target_count, ray_count;
    uint8_t fit;   /* enum posed_fit: the volumes of joints */
    uint8_t test;  /* enum posed_test: what rays are tested against */
    uint8_t which; /* enum posed_which: which hits of a ray are reported */
};

struct posed_hit {
    uint32_t ray, entity; /* indices into the rays, and into the targets; without targets, into the crowd's entities */
    uint32_t node;        /* volumes: the joint; meshes: the node that carries the mesh */
    uint32_t part;        /* volumes: index into those of /v1/hitboxes; meshes: the primitive of the node's mesh */
    uint32_t triangle;    /* meshes: index within the primitive; volumes: 0 */
    int is_inside;        /* 1: the ray begins inside the volume, or the ball begins in touch; the distance is 0 */
    float distance;       /* travelled by the ray, or by the centre of the ball; world units */
    float point[3];       /* the point of the hit, world */
    float normal[3];      /* unit length, away from the surface; for a ball, from the point to its centre */
    float barycentric[3]; /* meshes: barycentric coordinates of the point in the triangle; volumes: 0 */
};

/* The answer to a raycast, in place. */
struct posed_hits {
    uint32_t entity_count, ray_count; /* targets and rays of the request */
    uint32_t hit_count;
    uint8_t test; /* enum posed_test of the request */
    /* for posed_copy_hits() */
    const unsigned char *data;
};

/* Checks an answer: all hits must be within the bytes and belong to its rays and targets. `data` must outlive *out.
 * Pure. Returns 0 or POSED_E_PROTOCOL. */
int posed_read_hits(const void *data, size_t data_bytes, struct posed_hits *out);
/* Copies hits from index `first` on to out[room], which the caller owns. They are ordered by ray, then by distance.
 * Returns the number of copied hits: fewer than `room` at the end. Pure. */
uint32_t posed_copy_hits(const struct posed_hits *hits, uint32_t first, struct posed_hit *out, uint32_t capacity);

/* --- requests --------------------------------------------------------------------------------------------------- */

/* posed_query.flags */
enum {
    POSED_QUERY_FROM = 1,
    POSED_QUERY_TO = 2,
    POSED_QUERY_SPEED = 4,
    POSED_QUERY_PHASE = 8,
    POSED_QUERY_RANGE = 16, /* times are three numbers: start, end, frames a second */
    POSED_QUERY_ROOT_MOTION = 32,
    POSED_QUERY_TURN = 64,
    POSED_QUERY_INDICES = 128,
    POSED_QUERY_NORMALS = 256,
    POSED_QUERY_REST = 512,
    POSED_QUERY_JSON = 1024,
    POSED_QUERY_GLB = 2048,
    POSED_QUERY_NO_TEXTURES = 4096,
    POSED_QUERY_WEIGHTS = 8192,
    POSED_QUERY_MORE = 16384 /* posed_write_subscribe() sets it */
};
enum { POSED_REST_POSE = -1, POSED_FIRST_CLIP = -2 };
enum { POSED_LOCAL = 1, POSED_SCENE = 2, POSED_LOCAL_AND_SCENE = 3 };

/* Selects a pose. Start with posed_query_init(). Operations ignore members that they do not need. */
struct posed_query {
    int32_t clip;        /* index, POSED_REST_POSE or POSED_FIRST_CLIP */
    uint8_t wrap;        /* enum posed_wrap */
    uint8_t layout;      /* enum posed_layout */
    uint8_t space;       /* palette: enum posed_space */
    uint8_t what;        /* pose: POSED_LOCAL, POSED_SCENE or both */
    uint32_t flags;      /* POSED_QUERY_ */
    const double *times; /* [time_count] seconds; none: time 0 */
    uint32_t time_count;
    const uint32_t *indices; /* [index_count]: palette: skins, pose: nodes; none: all */
    uint32_t index_count;
    int32_t mesh; /* palette with POSED_SPACE_MESH: the mesh node; mesh: only this mesh; -1: none */
    int32_t root; /* with POSED_QUERY_ROOT_MOTION: the node whose motion it is; -1: the topmost joint */
    double from_s, to_s, speed, phase; /* each has an effect only with its flag */
};

/* Selects the first clip at time 0, everything, scene space, mat4. */
void posed_query_init(struct posed_query *query);

/* The properties of a picture. Zeros mean the server's defaults: 256 by 256, transparent background, from the front. */
struct posed_picture {
    uint32_t width, height;      /* pixels */
    unsigned char background[4]; /* red, green, blue, alpha (straight) */
    double yaw_deg, pitch_deg;   /* of the camera */
};

struct posed_subscription {
    uint16_t kind;      /* POSED_PALETTE, POSED_POSE or POSED_MESH */
    uint16_t is_paused; /* 1: begins paused */
    uint32_t credit;    /* frames before the next posed_credit(); if above 1, a slow reader gets old frames */
    double rate;        /* frames a second; 0: as fast as the credit allows */
    double position_s;  /* the time of the first frame */
    double speed;       /* seconds that the position moves per second */
    /* Further parameters as a JSON object, {"layers":[..]}, those that a query has no member for: as in the body of a
     * POST (protocol/http.md). NULL: none. Long ones need options.send_memory. */
    const char *more;
};

enum {
    POSED_CONTROL_PAUSE = 1,
    POSED_CONTROL_RESUME = 2,
    POSED_CONTROL_SEEK = 4,
    POSED_CONTROL_SPEED = 8,
    POSED_CONTROL_RATE = 16
};

struct posed_steering {
    uint32_t flags; /* POSED_CONTROL_: which of the members apply */
    double position_s, speed, rate;
};

/* Write the bytes of a request, for posed_send() or another transport. Each returns the packet's size. It writes the
 * packet if that size is at most `room`. 0: the packet cannot express the arguments. Pure. `model` NULL: no model. */
size_t posed_write_hello(void *out, size_t capacity, const char *token);
/* kind: close, info or ping */
size_t posed_write_plain(void *out, size_t capacity, int kind, uint32_t id, const struct posed_model *model);
size_t posed_write_open(void *out, size_t capacity, uint32_t id, const char *path);
/* name NULL: finds by index */
size_t posed_write_find(void *out, size_t capacity, uint32_t id, const struct posed_model *model, int what,
                        const char *name, uint32_t index);
/* kind: POSED_PALETTE, POSED_POSE or POSED_MESH */
size_t posed_write_query(void *out, size_t capacity, int kind, uint32_t id, const struct posed_model *model,
                         const struct posed_query *query);
size_t posed_write_render(void *out, size_t capacity, uint32_t id, const struct posed_model *model,
                          const struct posed_query *query, const struct posed_picture *picture);
/* Percent-encodes a name or path for a target, in the one way that balancers and caches know (protocol/http.md, "One
 * way to write a name"), and terminates it by NUL. Returns the size in bytes with the NUL. Writes nothing if that
 * exceeds `room`. Pure. */
size_t posed_escape(char *out, size_t capacity, const char *text);

/* body NULL: GET, else POST */
size_t posed_write_call(void *out, size_t capacity, uint32_t id, const struct posed_model *model, const char *target,
                        const void *body, size_t body_bytes);
/* Models are sent as their handles. */
size_t posed_write_crowd(void *out, size_t capacity, uint32_t id, const struct posed_crowd *crowd);
size_t posed_write_raycast(void *out, size_t capacity, uint32_t id, const struct posed_raycast *raycast);
size_t posed_write_subscribe(void *out, size_t capacity, uint32_t id, const struct posed_model *model,
                             const struct posed_query *query, const struct posed_subscription *subscription);
size_t posed_write_control(void *out, size_t capacity, uint32_t id, uint32_t stream,
                           const struct posed_steering *steering);
size_t posed_write_credit(void *out, size_t capacity, uint32_t stream, uint32_t credit);
size_t posed_write_unsubscribe(void *out, size_t capacity, uint32_t id, uint32_t stream);
size_t posed_write_watch(void *out, size_t capacity, uint32_t id, const struct posed_model *model, int is_on);

/* --- connections ------------------------------------------------------------------------------------------------ */

struct posed_options {
    void *memory; /* receives packets, and limits the largest one; at least 256 bytes */
    size_t memory_bytes;
    /* NULL, or called for more `memory` if a packet does not fit. It works like realloc(), returns memory aligned to 16
     * bytes, and NULL on failure. Its last memory is server->memory. The caller frees it after
     * posed_disconnect(). */
    void *(*grow)(void *context, void *memory, size_t size_bytes);
    void *grow_context;
    void *send_memory; /* holds queued requests; NULL: POSED_SEND_BYTES within the struct posed */
    size_t send_bytes;
    const char *token;  /* if the server requires a token; else NULL */
    int timeout_ms;     /* for blocking calls: 0 for 30,000; -1: unlimited */
    int is_nonblocking; /* posed_connect() and posed_send() never wait; see below */
    /* Keeps everything that another connection must repeat: requests without an answer, and the packets that opened
     * models, streams and watches. Each takes its packet and about 200 bytes. NULL: POSED_KEEP_BYTES within the struct
     * posed. If a request does not fit and the connection ends before its answer, the error is POSED_E_CLOSED. If the
     * packet of a model, stream or watch does not fit, every later end of the connection is that error. */
    void *keep_memory;
    size_t keep_bytes;
    int reconnect_tries; /* connections to try after one has ended: 0 for 10; -1: none, and nothing is repeated */
    int reconnect_ms;    /* for all of them together: 0 for 10,000. Resolving a host name may take longer */
    /* NULL, or called with event_context when a connection has replaced another one, with the number of tries and the
     * time that it took. It must not use the connection. server->fd has changed. */
    void (*on_reconnect)(void *context, uint32_t tries, uint32_t down_ms);
    /* Receives `stream` and `changed` packets, and the errors that end a stream, if they arrive while a call waits for
     * its own answer. NULL: they are only counted, in server->events_dropped. It must not use the connection. */
    void (*on_event)(void *context, const struct posed_packet *packet);
    void *event_context;
};

/* A connection. {0} is closed. The caller may read fd, hello, error, memory, events_dropped. */
struct posed {
    int fd; /* for poll() and the like, while is_connected: read it again after each call; -1 while there is none */
    int is_connected;
    struct posed_hello hello; /* version 0 until it arrives */
    struct posed_error error; /* of the last call that failed */
    unsigned char *memory;
    uint64_t events_dropped;
    uint32_t reconnects; /* how often a connection replaced another one */

    struct posed_options options; /* from here on private */
    unsigned char *in;
    size_t in_room, in_start, in_end, in_used, in_skip;
    unsigned char *out;
    size_t out_room, out_start, out_end;
    uint32_t id_next, id_owed, owed;
    int is_connecting;
    int link; /* the state of the connection that replaces another */
    int has_greeted, is_broken, has_lost, is_settled;
    uint32_t unkept, tries;
    int64_t down_ms, retry_ms, up_ms, until_ms;
    size_t keep_room, keep_used;
    unsigned char *keep;
    char address[288], cause[160];
    unsigned char told[32];
    unsigned char out_own[POSED_SEND_BYTES], keep_own[POSED_KEEP_BYTES];
};

/* Connects and says hello. `address`: "host:port", "[::1]:port", "port" alone for 127.0.0.1, or the path of a Unix
 * socket (it contains a '/', or begins with "unix:"). Waits for the server's hello. With is_nonblocking it does not
 * wait: requests may be sent at once, and the hello is the first packet of posed_next(). Resolving a host name always
 * waits. *options is copied, but not the memory that it points to. Returns 0 or an error, after which nothing needs to
 * be freed. */
int posed_connect(struct posed *server, const char *address, const struct posed_options *options);
/* The same for a connected socket (socketpair(), a tunnel). The connection takes ownership of it. */
int posed_attach(struct posed *server, int fd, const struct posed_options *options);
/* Closes the connection. Then only error and memory are valid. It may be closed already. */
void posed_disconnect(struct posed *server);

/* Non-blocking use and pipelining: make a packet with posed_write_...() and an id of posed_new_id(), send it, and call
 * posed_next(server, 0, &packet) whenever fd is readable (while posed_wants_write(): also when it is writable). Answers
 * arrive in the order of the requests and carry their ids. Events may arrive between them. */
uint32_t posed_new_id(const struct posed *server); /* of the next packet: send it before you ask for another id */
/* Queues a complete packet and sends as much as the system accepts. Waits for room; with is_nonblocking it returns
 * POSED_E_AGAIN instead and queues nothing. Read answers meanwhile: a server whose answers are not read stops reading
 * requests. */
int posed_send(struct posed *server, const void *packet, size_t packet_bytes);
/* Returns 1 while requests are queued. */
int posed_wants_write(const struct posed *server);
/* Sends queued requests and reads the next packet. Waits up to timeout_ms for it (0: not at all, -1: unlimited).
 * Returns 1 with a packet, 0 without one, or an error. An error packet counts as a packet. */
int posed_next(struct posed *server, int timeout_ms, struct posed_packet *packet);
/* Returns the milliseconds after which posed_next() must be called even if fd is not ready; -1: never. It is -1 unless
 * a new connection is being made. */
int posed_wait_ms(const struct posed *server);
/* Returns the number of outstanding answers. */
uint32_t posed_owed(const struct posed *server);

/* Blocking use: each call sends one request and waits for its answer, at most options.timeout_ms. If posed_send() was
 * used, read the outstanding answers first (POSED_E_PENDING). */

/* Makes the server import the model at `path` under its root, and opens a handle for it. */
int posed_open(struct posed *server, const char *path, struct posed_model *model);
int posed_close(struct posed *server, struct posed_model *model);
/* Finds a clip, skin, node or mesh (enum posed_what) by its name or its index. */
int posed_find(struct posed *server, struct posed_model *model, int what, const char *name, struct posed_found *found);
int posed_find_index(struct posed *server, struct posed_model *model, int what, uint32_t index,
                     struct posed_found *found);
/* Asks for JSON: answer->data, not terminated by NUL. */
int posed_info(struct posed *server, struct posed_model *model, struct posed_packet *answer);
/* Asks for skinning matrices: one block per skin. */
int posed_palette(struct posed *server, struct posed_model *model, const struct posed_query *query,
                  struct posed_frames *frames);
/* Asks for every node's transform. */
int posed_pose(struct posed *server, struct posed_model *model, const struct posed_query *query,
               struct posed_frames *frames);
/* Asks for the deformed vertices. */
int posed_mesh(struct posed *server, struct posed_model *model, const struct posed_query *query,
               struct posed_frames *frames);
/* Asks for one of the three as a packet: with POSED_QUERY_JSON or _GLB. */
int posed_ask(struct posed *server, int kind, struct posed_model *model, const struct posed_query *query,
              struct posed_packet *answer);
/* Asks for a picture: answer->data is a PNG file. */
int posed_render(struct posed *server, struct posed_model *model, const struct posed_query *query,
                 const struct posed_picture *picture, struct posed_packet *answer);
/* Calls any operation of HTTP: target "/v1/bounds?over=clip", about `model` unless that is NULL. body NULL: GET, else
 * POST. */
int posed_call(struct posed *server, struct posed_model *model, const char *target, const void *body, size_t body_bytes,
               struct posed_packet *answer);
/* Asks for the poses of many entities. It needs 100 bytes of options.send_memory for each, and its layers. The error of
 * a single entity is no error of the call: see entities->error_count. */
int posed_pose_crowd(struct posed *server, const struct posed_crowd *crowd, struct posed_entities *entities);
/* Asks where rays hit the entities of a crowd. It needs 80 bytes of options.send_memory for each ray, 16 for each
 * target, and the crowd. Copy the hits with posed_copy_hits() before the next call. The error of a single entity or ray
 * is an error of the call, because a shot at an incomplete crowd would give a wrong answer. Its message begins with the
 * place: "entities[3]: ..". */
int posed_raycast(struct posed *server, const struct posed_raycast *raycast, struct posed_hits *hits);
/* Begins a stream. posed_next() returns its frames as packets of kind POSED_STREAM with the id *stream. */
int posed_subscribe(struct posed *server, struct posed_model *model, const struct posed_query *query,
                    const struct posed_subscription *subscription, uint32_t *stream);
int posed_control(struct posed *server, uint32_t stream, const struct posed_steering *steering);
/* Grants credit for more frames. There is no answer: it waits only for room in the queue. */
int posed_credit(struct posed *server, uint32_t stream, uint32_t credit);
int posed_unsubscribe(struct posed *server, uint32_t stream);
/* is_on 1: begins to send a packet of kind POSED_CHANGED whenever the model's content changes; 0: ends that. */
int posed_watch(struct posed *server, struct posed_model *model, int is_on);
int posed_ping(struct posed *server);

#ifdef __cplusplus
}
#endif
#endif
