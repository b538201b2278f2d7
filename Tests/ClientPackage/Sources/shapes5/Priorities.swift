// A manager that plays the named files of a bundle, unless their priority is too low.

import HapticBridge

private enum Priority: Int, Comparable {
    case low, high
    static func < (one: Priority, other: Priority) -> Bool { one.rawValue < other.rawValue }
}

private final class HapticManager {
    static let main = HapticManager()
    var least = Priority.high
    private let engine: CHHapticEngine?

    private init() {
        guard CHHapticEngine.capabilitiesForHardware().supportsHaptics else {
            engine = nil
            return
        }
        engine = try? CHHapticEngine(audioSession: nil)
        engine?.playsHapticsOnly = true
        engine?.isAutoShutdownEnabled = true
        engine?.resetHandler = { [weak self] in try? self?.engine?.start() }
    }

    func play(_ url: URL, priority: Priority) {
        guard priority >= least, let engine else { return }
        do {
            try engine.start()
            try engine.playPattern(from: url)
        } catch {
            print("Failed to play \(url.lastPathComponent): \(String(describing: error))")
        }
    }
}

func priorities() throws {
    let folder = try bundle([
        "success.ahap": ahap(intensity: 0.8), "tap.ahap": ahap(intensity: 0.2),
    ])
    HapticManager.main.play(folder.appendingPathComponent("tap.ahap"), priority: .low)
    HapticManager.main.play(folder.appendingPathComponent("success.ahap"), priority: .high)
    rest(0.3)
}
