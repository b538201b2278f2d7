// Tests of the changes in a control's value for which feedback is played.

import Foundation
import TestSupport
import Testing

@testable import HapticBridge

@Suite(.virtualTime) struct HapticControlTests {
    @Test func eachChangeOfASwitchOrAPickerIsASelection() {
        let isOn = HapticControl(wrappedValue: false)
        #expect(
            isOn.feedback(false, true) == .selection && isOn.feedback(true, false) == .selection)
        let fruit = HapticControl(wrappedValue: "apple")
        #expect(fruit.feedback("apple", "pear") == .selection)
    }

    @Test(
        arguments: [
            (0.5, 0.6, nil), (0.9, 1, .alignment), (0.2, 0, .alignment), (0, 0.1, nil),
            (1, 1.5, nil), (0.5, 7, .alignment), (-3, 0, nil), (0.5, .nan, .alignment),
            (-.infinity, .infinity, .alignment),
        ] as [(Double, Double, SystemFeedback?)])
    func aSliderIsFeltAtItsEnds(from old: Double, to new: Double, feedback: SystemFeedback?) {
        let volume = HapticControl(wrappedValue: 0.5, in: 0...1)
        #expect(volume.feedback(old, new) == feedback)
    }

    @Test(
        arguments: [
            (2, 2.4, nil), (2, 2.6, .selection), (2.6, 3.4, nil), (2, 9, .selection),
            (9, 10, .alignment), (1, 0, .alignment), (0, 0.4, nil), (10, 9, .selection),
        ] as [(Float, Float, SystemFeedback?)])
    func aSliderWithStepsIsFeltAtEachOfThemToo(
        from old: Float, to new: Float, feedback: SystemFeedback?
    ) {
        let age = HapticControl(wrappedValue: Float(5), in: 0...10, step: 1)
        #expect(age.feedback(old, new) == feedback)
    }

    private struct Panel {
        @HapticControl var isOn: Bool

        init(on engine: HapticEngine) { _isOn = HapticControl(wrappedValue: false, engine: engine) }
    }

    @Test func whatAPersonChangesIsFeltAndWhatTheProgramSetsIsNot() throws {
        let engine = CHHapticEngine(device: .preview)
        try engine.start()
        var panel = Panel(on: engine)
        panel.$isOn.set(true)
        #expect(panel.isOn && engine.core.isRunning)
        panel.isOn = true
        #expect(engine.output(atTime: 0) == .silence, "nothing has changed")
        panel.isOn = false
        #expect(wait { engine.output(atTime: 0).intensity > 0 }, "it is felt")
        engine.stop()
    }

    @Test(arguments: [SystemFeedback.levelChange, .alignment])
    func pressureAndDragsHavePatternsOfTheirOwn(_ feedback: SystemFeedback) throws {
        let engine = CHHapticEngine(device: .preview)
        try engine.start()
        let detents = DetentFeedbackGenerator(feedback, spacing: 0.25, engine: engine)
        detents.moved(to: 0.1)
        detents.moved(to: 0.3)
        let intensity = Float(feedback.pattern.value.events[0].intensity)
        #expect(wait { engine.output(atTime: 0).intensity == intensity })
        engine.stop()
    }
}
