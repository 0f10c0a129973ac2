// Errors: one class, with a `code` for programs.

// Numbers of the binary protocol: code and HTTP status. A test compares them with protocol/errors.def.
export const CODES = new Map([
  [1, ['bad_request', 400]],
  [2, ['unknown_parameter', 400]],
  [3, ['bad_parameter', 400]],
  [4, ['duplicate_parameter', 400]],
  [5, ['missing_parameter', 400]],
  [6, ['bad_path', 400]],
  [7, ['too_many_frames', 400]],
  [8, ['forbidden', 403]],
  [9, ['not_found', 404]],
  [10, ['method_not_allowed', 405]],
  [11, ['request_timeout', 408]],
  [12, ['body_too_large', 413]],
  [13, ['uri_too_long', 414]],
  [14, ['headers_too_large', 431]],
  [15, ['unsupported_media_type', 415]],
  [70, ['expectation_failed', 417]],
  [16, ['unauthorized', 401]],
  [17, ['origin_not_allowed', 403]],
  [18, ['host_not_allowed', 421]],
  [19, ['conflict', 409]],
  [20, ['model_not_found', 404]],
  [21, ['clip_not_found', 404]],
  [22, ['skin_not_found', 404]],
  [23, ['joint_not_found', 404]],
  [24, ['mesh_not_found', 404]],
  [25, ['ambiguous_name', 409]],
  [26, ['hash_mismatch', 409]],
  [27, ['camera_not_found', 404]],
  [64, ['variant_not_found', 404]],
  [67, ['texture_not_found', 404]],
  [77, ['morph_not_found', 404]],
  [78, ['expression_not_found', 404]],
  [68, ['light_not_found', 404]],
  [65, ['not_in_gltf', 422]],
  [29, ['bad_keys', 422]],
  [30, ['unknown_format', 415]],
  [31, ['lfs_pointer', 415]],
  [32, ['empty_file', 415]],
  [33, ['not_a_model', 415]],
  [76, ['unsupported_file', 415]],
  [34, ['bad_model', 422]],
  [35, ['model_limit', 422]],
  [36, ['unsupported_extension', 422]],
  [37, ['companion_missing', 422]],
  [38, ['import_crashed', 422]],
  [39, ['import_timeout', 503]],
  [40, ['import_memory', 422]],
  [41, ['bad_bake', 422]],
  [42, ['not_finite', 422]],
  [43, ['nothing_to_draw', 422]],
  [44, ['not_rigid', 422]],
  [45, ['clip_no_match', 422]],
  [66, ['humanoid_incomplete', 422]],
  [46, ['import_aborted', 422]],
  [47, ['import_cpu', 422]],
  [48, ['import_syscall', 422]],
  [49, ['import_too_large', 422]],
  [50, ['internal', 500]],
  [51, ['render_failed', 500]],
  [52, ['render_timeout', 503]],
  [75, ['render_cpu', 422]],
  [53, ['overloaded', 503]],
  [54, ['shutting_down', 503]],
  [55, ['no_memory', 503]],
  [56, ['unavailable', 503]],
  [57, ['model_changing', 503]],
  [58, ['render_syscall', 500]],
  [59, ['render_memory', 503]],
  [60, ['storage', 507]],
  [74, ['bad_hitboxes', 422]],
  [62, ['import_killed', 503]],
  [63, ['batch_cpu', 400]],
  [69, ['source_unavailable', 503]],
]);

// The server refused (`status` is HTTP's), or could not be reached or understood (`status` 0, codes `connection_lost` and `bad_answer`).
export class PosedError extends Error {
  constructor(code, message, { status = 0, candidates = [], retryAfter = 0, requestId = null, offset = null, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'PosedError';
    this.code = code;
    this.status = status;
    this.candidates = candidates;
    this.retryAfter = retryAfter;
    this.requestId = requestId;
    this.offset = offset;
  }
}

export const badAnswer = (message) => new PosedError('bad_answer', message);
export const connectionLost = (message, cause) => new PosedError('connection_lost', message, { cause });

// Makes the error of a JSON body, `{"error":{"code","message","candidates"}}`; `known` replaces missing members.
export function errorFromBody(text, known) {
  let told;
  try {
    told = JSON.parse(text).error;
  } catch {
    told = undefined;
  }
  if (typeof told !== 'object' || told === null) {
    told = {};
    // posed never sends 502, and sends a code with each 503: a balancer sent this one, because the server behind it is gone
    if ([502, 503].includes(known.status) && known.code === undefined) told = { code: 'bad_gateway', message: `a balancer answered HTTP ${known.status}` };
  }
  const code = typeof told.code === 'string' ? told.code : known.code ?? 'bad_answer';
  const message = typeof told.message === 'string' ? told.message : known.message ?? `the server answered ${known.status}`;
  const candidates = Array.isArray(told.candidates) ? told.candidates : [];
  return new PosedError(code, message, { ...known, candidates });
}

// Makes the error of an entry of a batch. Its status follows from its code.
export function errorOfCode(told) {
  const found = [...CODES.values()].find(([code]) => code === told.code);
  return errorFromBody(JSON.stringify({ error: told }), { status: found ? found[1] : 500 });
}
