// Dial: a dial that is turned by a flick and whose detents are felt.

import Foundation
import HapticBridge

/// A dial with friction, in degrees and seconds.
struct Dial {
    private(set) var angle = 0.0
    private var speed = 0.0

    /// The rate of the exponential decay of the speed, per second.
    private static let friction = 1.8

    /// Sets the speed of the dial, in degrees per second.
    mutating func flick(_ speed: Double) { self.speed = speed }

    mutating func advance(by time: Double) {
        angle += speed * time
        speed *= exp(-Self.friction * time)
    }

    func picture(detents: Int) -> String {
        let detent = Int((angle / 360 * Double(detents)).rounded())
        let turn = (detent % detents + detents) % detents
        return String(repeating: ".", count: turn) + "O"
            + String(repeating: ".", count: detents - 1 - turn)
    }
}

/// Simulates a dial with 24 detents that is flicked back and forth.
func playDial(on engine: HapticEngine) {
    let detents = 24.0
    let generator = DetentFeedbackGenerator(spacing: 360 / detents, engine: engine)
    var dial = Dial()
    for speed in [200.0, -90, 500] {
        dial.flick(speed)
        for _ in 0..<Int(1.5 / SimulationView.step) {
            dial.advance(by: SimulationView.step)
            generator.moved(to: dial.angle)
            SimulationView.draw(engine) { _ in dial.picture(detents: Int(detents)) }
            Thread.sleep(forTimeInterval: SimulationView.step)
        }
        SimulationView.print("the dial is at \(Int(dial.angle)) degrees")
    }
}
