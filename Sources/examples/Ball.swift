// Ball: a ball that falls and bounces. Each collision is a tap. The intensity and the sharpness of
// the tap increase with the speed of the ball.

import Foundation
import HapticBridge

/// A ball above a floor, in meters and seconds.
struct Ball {
    private(set) var height = highest
    private var speed = 0.0
    /// True if the ball has stopped bouncing.
    private(set) var isAtRest = false

    /// The initial height of the ball.
    static let highest = 0.8
    /// The fraction of its speed that the ball keeps after a collision.
    private static let bounce = 0.72
    /// The speed after a collision below which the ball comes to rest.
    private static let slowest = 0.25

    /// Moves the ball. Returns the speed of the collision if the ball collides
    /// with the floor; otherwise, returns nil.
    mutating func advance(by time: Double) -> Double? {
        speed -= 9.81 * time
        height += speed * time
        guard height < 0 else { return nil }
        let collision = -speed
        (height, speed) = (0, collision * Self.bounce)
        isAtRest = speed < Self.slowest
        return collision
    }
}

/// Returns the tap for a collision at a speed in m/s.
private func tap(at speed: Double) throws -> CHHapticPattern {
    let strength = Float(min(1, 0.2 + speed / 4))
    let event = CHHapticEvent(
        eventType: .hapticTransient,
        parameters: [
            CHHapticEventParameter(parameterID: .hapticIntensity, value: strength),
            CHHapticEventParameter(parameterID: .hapticSharpness, value: strength / 2),
        ],
        relativeTime: 0)
    return try CHHapticPattern(events: [event], parameters: [])
}

/// Simulates a ball that bounces until it comes to rest. Collisions that follow each other too
/// closely for the actuator are omitted.
func playBall(on engine: HapticEngine) throws {
    var ball = Ball()
    var last = -Double.infinity
    while !ball.isAtRest {
        let collision = ball.advance(by: SimulationView.step)
        if let collision, engine.currentTime - last >= engine.clickInterval {
            last = engine.currentTime
            try engine.makePlayer(with: tap(at: collision)).start(atTime: CHHapticTimeImmediate)
            SimulationView.print("a collision at \((collision * 100).rounded() / 100) m/s")
        }
        SimulationView.draw(engine) { columns in
            let column = Int(ball.height / Ball.highest * Double(max(0, columns - 2)))
            return "|" + String(repeating: " ", count: column) + "o"
        }
        Thread.sleep(forTimeInterval: SimulationView.step)
    }
    Thread.sleep(forTimeInterval: 0.2)
}
