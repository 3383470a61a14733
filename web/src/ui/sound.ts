/** The sounds of notifications. They are synthesized, so there is nothing to load. */

interface Note {
  /** In Hz. */
  pitch: number;
  /** In seconds from the beginning. */
  at: number;
}

const length = 0.6;
const loudness = 0.15;

const sounds: Readonly<Record<string, readonly Note[]>> = {
  zulip: [
    { pitch: 784, at: 0 },
    { pitch: 1175, at: 0.11 },
  ],
  ding: [{ pitch: 1568, at: 0 }],
};

let context: AudioContext | undefined;

/** Does nothing for an unknown name, and where the browser cannot play or does not allow it yet. */
export async function playSound(name: string): Promise<void> {
  const notes = sounds[name];
  if (!notes || !("AudioContext" in globalThis)) return;
  context ??= new AudioContext();
  await context.resume();
  const start = context.currentTime;
  for (const { pitch, at } of notes) {
    const tone = new OscillatorNode(context, { frequency: pitch });
    const volume = new GainNode(context, { gain: 0 });
    volume.gain.setValueAtTime(loudness, start + at);
    volume.gain.exponentialRampToValueAtTime(0.001, start + at + length);
    tone.connect(volume).connect(context.destination);
    tone.start(start + at);
    tone.stop(start + at + length);
  }
}

/** Of several tabs that want to play it at once, one does. */
export function playSoundOnce(name: string): void {
  // Only where the connection is secure.
  if (!("locks" in navigator)) {
    void playSound(name);
    return;
  }
  void navigator.locks.request("skein-sound", { ifAvailable: true }, async (lock) => {
    if (lock === null) return;
    void playSound(name);
    await new Promise((resolve) => setTimeout(resolve, length * 1000));
  });
}
