// HapticControl: the value of a control that plays feedback when the value changes.

/// The value of a switch, a picker or a slider. The control plays feedback when the value changes.
///
/// The switches, pickers and sliders of an iPhone play haptics automatically. In this library, the
/// value of a control plays haptics, independently of the user interface framework:
///
///     @HapticControl var isOn = false                  // a switch: each change
///     @HapticControl var fruit = "apple"               // a picker: each change
///     @HapticControl(in: 0...1) var volume = 0.5       // a slider: its ends
///     @HapticControl(in: 0...10, step: 1) var age = 5  // a slider with steps: each step, and its ends
///
/// A change plays ``SystemFeedback/selection``, and the arrival at an end plays
/// ``SystemFeedback/alignment``. Clicks are spaced apart and limited in number, like those of all
/// generators (<doc:UsingFeedbackSparingly>). Without a board, nothing happens. ``set(_:)`` changes
/// a value without feedback.
@propertyWrapper
public struct HapticControl<Value: Equatable & Sendable>: Sendable {
    private var value: Value
    private let player: FeedbackPlayer
    let feedback: @Sendable (_ old: Value, _ new: Value) -> SystemFeedback?

    /// The value of the control.
    public var wrappedValue: Value {
        get { value }
        set {
            let old = value
            value = newValue
            if old != newValue, let feedback = feedback(old, newValue) { player.play(feedback) }
        }
    }

    /// The control itself. The method ``set(_:)`` changes the value without feedback.
    public var projectedValue: Self {
        get { self }
        set { self = newValue }
    }

    /// Changes the value without feedback, for a change that the user did not make.
    public mutating func set(_ value: Value) { self.value = value }

    /// Creates a switch or a picker.
    ///
    /// - Parameters:
    ///   - value: the initial value, which plays no feedback.
    ///   - engine: the engine that plays; nil for the shared engine of generators.
    public init(wrappedValue value: Value, engine: HapticEngine? = nil) {
        self.init(value, engine) { _, _ in .selection }
    }

    private init(
        _ value: Value, _ engine: HapticEngine?,
        _ feedback: @escaping @Sendable (Value, Value) -> SystemFeedback?
    ) {
        (self.value, self.feedback) = (value, feedback)
        player = FeedbackPlayer(engine: engine)
    }
}

extension HapticControl where Value: BinaryFloatingPoint {
    /// Creates a slider. The value of the slider is clamped to its range for comparisons, but is
    /// stored unchanged.
    ///
    /// - Parameters:
    ///   - value: the initial value, which plays no feedback.
    ///   - range: the range of the slider. Each end of the range plays feedback.
    ///   - step: the distance between two steps, above 0; nil if the slider has no steps. Each step
    ///     plays feedback.
    ///   - engine: the engine that plays; nil for the shared engine of generators.
    public init(
        wrappedValue value: Value, in range: ClosedRange<Value>, step: Value? = nil,
        engine: HapticEngine? = nil
    ) {
        precondition(step.map { $0 > 0 } ?? true, "the step must be above 0")
        self.init(value, engine) { old, new in
            let (old, new) = (range.nearest(to: old), range.nearest(to: new))
            guard old != new else { return nil }
            if new == range.lowerBound || new == range.upperBound { return .alignment }
            guard let step else { return nil }
            func index(of value: Value) -> Value { ((value - range.lowerBound) / step).rounded() }
            return index(of: old) == index(of: new) ? nil : .selection
        }
    }
}

extension ClosedRange where Bound: BinaryFloatingPoint {
    /// Returns the value of the range that is nearest to a value; the lower end for NaN.
    fileprivate func nearest(to value: Bound) -> Bound {
        value > lowerBound ? Swift.min(value, upperBound) : lowerBound
    }
}
