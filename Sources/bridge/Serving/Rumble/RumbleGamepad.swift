// RumbleGamepad: a gamepad that exists only in the kernel.

/// A gamepad that exists only in the kernel. Programs upload effects to it, and this process plays
/// them. The gamepad disappears when its owner ends.
protocol RumbleGamepad: AnyObject, Sendable {
    /// The descriptor from which events from the kernel are read without waiting.
    var descriptor: Int32 { get }
    /// The path at which programs open the gamepad.
    var path: String { get }

    /// Answers the request of a program to upload an effect.
    ///
    /// - Parameter accept: a closure that receives the bytes of the effect, and returns false to
    ///   refuse it.
    func answer(upload request: UInt32, _ accept: ([UInt8]) -> Bool)

    /// Answers the request to erase an effect. Returns the number of the effect; nil if there is no
    /// such request.
    func answer(erasure request: UInt32) -> Int?
}
