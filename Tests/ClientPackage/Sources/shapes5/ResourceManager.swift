// A manager that plays files of its bundle, stops while the app is in the background, and continues
// after a reset.

import HapticBridge

private final class Manager {
    private lazy var supportsHaptics =
        CHHapticEngine.capabilitiesForHardware().supportsHaptics
    private var engine: CHHapticEngine?
    private var engineNeedsStart = true
    let hasReset = DispatchSemaphore(value: 0)

    func create() {
        guard supportsHaptics else { return }
        do {
            engine = try CHHapticEngine()
        } catch {
            print("Engine creation error: \(error)")
        }
        engine?.stoppedHandler = { [weak self] _ in self?.engineNeedsStart = true }
        engine?.resetHandler = { [weak self] in
            self?.engineNeedsStart = true
            self?.start()
            self?.hasReset.signal()
        }
    }

    func start() {
        guard engineNeedsStart else { return }
        do {
            try engine?.start()
            engineNeedsStart = false
        } catch CHHapticError.engineStartTimeout {
            print("No answer")
        } catch {
            print(error.localizedDescription)
        }
    }

    func stop() {
        let isStopped = DispatchSemaphore(value: 0)
        engine?.stop(completionHandler: { [weak self] error in
            if error == nil { self?.engineNeedsStart = true }
            isStopped.signal()
        })
        isStopped.wait()
    }

    func play(_ url: URL) {
        guard let pattern = try? CHHapticPattern(contentsOf: url) else { return }
        try? engine?.makePlayer(with: pattern).start(atTime: CHHapticTimeImmediate)
    }
}

func resourceManager() throws {
    let folder = try bundle([
        "success.ahap": ahap(intensity: 0.8), "hold.ahap": ahap(intensity: 0.9, duration: 30),
    ])
    let manager = Manager()
    manager.create()
    manager.start()
    manager.play(folder.appendingPathComponent("success.ahap"))
    rest(0.3)
    manager.stop()
    manager.start()
    manager.play(folder.appendingPathComponent("hold.ahap"))
    manager.hasReset.wait()
    manager.play(folder.appendingPathComponent("success.ahap"))
    rest(0.3)
}
