package spec

// judgeProperties bind the evidence by which black boxes are judged.
var judgeProperties []*Property
