// Short sounds of the board, made as they are needed: no files.

/** @typedef {"move" | "capture" | "king" | "end" | "low" | "right" | "wrong"} Sound low: little time is left */

/** @type {AudioContext | null} */
let audio = null;
/** @type {GainNode | null} what all sounds go through */
let out = null;
let volume = 1;

/** @param {number} share 0 for none, 1 for the loudest */
export function loudness(share) {
  volume = share;
  if (out) out.gain.value = share;
}

/**
 * Plays a sound, unless sounds are off or the browser allows none yet: it does once the person has pressed something.
 * @param {Sound} name
 */
export function sound(name) {
  if (!volume || !navigator.userActivation?.hasBeenActive) return;
  try {
    audio ??= new AudioContext();
  } catch {
    return;
  }
  // the context was made before the browser allowed any, or has slept since
  if (audio.state === "suspended") void audio.resume();
  out ??= new GainNode(audio, {gain: volume});
  out.connect(audio.destination);
  const at = audio.currentTime;
  if (name === "move" || name === "capture") {
    knock(audio, at, name === "move" ? 420 : 300);
    if (name === "capture") knock(audio, at + 0.07, 360);
  } else if (name === "king") {
    tone(audio, at, 523);
    tone(audio, at + 0.09, 784);
  } else if (name === "end") {
    for (const [i, pitch] of [392, 523, 659].entries()) tone(audio, at + 0.12 * i, pitch);
  } else if (name === "right") {
    tone(audio, at, 659, 0.08);
  } else if (name === "wrong") {
    tone(audio, at, 262, 0.1);
    tone(audio, at + 0.1, 208, 0.1);
  } else {
    tone(audio, at, 880, 0.05);
  }
}

/**
 * Wood on wood: a burst of noise through a narrow band.
 * @param {AudioContext} context
 * @param {number} at seconds
 * @param {number} pitch Hz
 */
function knock(context, at, pitch) {
  const length = 0.06,
    samples = Math.ceil(length * context.sampleRate);
  const noise = context.createBuffer(1, samples, context.sampleRate),
    heard = noise.getChannelData(0);
  for (let i = 0; i < samples; i++) heard[i] = (Math.random() * 2 - 1) * (1 - i / samples) ** 4;
  const source = new AudioBufferSourceNode(context, {buffer: noise});
  const band = new BiquadFilterNode(context, {type: "bandpass", frequency: pitch, Q: 1.2});
  source
    .connect(band)
    .connect(new GainNode(context, {gain: 0.9}))
    .connect(/** @type {GainNode} */ (out));
  source.start(at);
}

/**
 * @param {AudioContext} context
 * @param {number} at seconds
 * @param {number} pitch Hz
 * @param {number} [loud] 0 to 1
 */
function tone(context, at, pitch, loud = 0.12) {
  const source = new OscillatorNode(context, {frequency: pitch, type: "triangle"}),
    gain = new GainNode(context);
  gain.gain.setValueAtTime(loud, at);
  gain.gain.exponentialRampToValueAtTime(0.001, at + 0.18);
  source.connect(gain).connect(/** @type {GainNode} */ (out));
  source.start(at);
  source.stop(at + 0.2);
}
