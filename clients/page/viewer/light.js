// The light around the model, as shaders/environment.glsl takes it (server/anim/light/environment.h): nine numbers a
// channel of each light that the server makes by formula.

const LIGHTS = {
  studio: [0.664317, 0.662481, 0.664551, 0.355012, 0.359216, 0.36708, 0.127221, 0.125613, 0.122581, -0.0190289, -0.0124204, -0.00474451,
    -0.0778557, -0.0741396, -0.0693595, 0.0907289, 0.0877047, 0.0832614, 0.0215218, 0.0207371, 0.0198933, -0.120938, -0.115361, -0.108708,
    0.0219748, 0.0226075, 0.0233872],
};

/** What the lit programs need of the default light. */
export function setLight(gl, program) {
  gl.uniform3fv(program.at('irradiance[0]'), LIGHTS.studio);
  gl.uniform1f(program.at('exposure'), 1);
  gl.uniform1i(program.at('tone'), 0);
}
