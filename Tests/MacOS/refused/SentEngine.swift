// capture of 'engine' with non-Sendable type 'AVAudioEngine' in a '@Sendable' closure
import AVFAudio

func begin(_ body: @escaping @Sendable () -> Void) {}

func refused(_ engine: AVAudioEngine) { begin { engine.stop() } }
