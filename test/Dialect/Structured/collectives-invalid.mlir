// RUN: triton-shared-opt %s --split-input-file --verify-diagnostics

func.func @types(%x: tensor<8xi32>) {
  // expected-error @below {{gives results of the types of its sources}}
  %0 = tts.scan %x axis 0 : (tensor<8xi32>) -> tensor<8xi64> {
  ^bb0(%a: i32, %b: i32):
    tts.yield %a : i32
  }
  return
}

// -----

func.func @axis(%x: tensor<8xi32>) {
  // expected-error @below {{scans dimension 1 of 'tensor<8xi32>'}}
  %0 = tts.scan %x axis 1 : (tensor<8xi32>) -> tensor<8xi32> {
  ^bb0(%a: i32, %b: i32):
    tts.yield %a : i32
  }
  return
}

// -----

func.func @shapes(%x: tensor<8xi32>, %y: tensor<4xi32>) {
  // expected-error @below {{scans blocks of one shape, not 'tensor<4xi32>'}}
  %0:2 = tts.scan %x, %y axis 0 : (tensor<8xi32>, tensor<4xi32>) -> (tensor<8xi32>, tensor<4xi32>) {
  ^bb0(%a: i32, %b: i32, %c: i32, %d: i32):
    tts.yield %a, %b : i32, i32
  }
  return
}

// -----

func.func @arguments(%x: tensor<8xi32>) {
  // expected-error @below {{combines two elements of each source into one}}
  %0 = tts.scan %x axis 0 : (tensor<8xi32>) -> tensor<8xi32> {
  ^bb0(%a: i32, %b: i64):
    tts.yield %a : i32
  }
  return
}

// -----

func.func @yielded(%x: tensor<8xi32>) {
  // expected-error @below {{combines two elements of each source into one}}
  %0 = tts.scan %x axis 0 : (tensor<8xi32>) -> tensor<8xi32> {
  ^bb0(%a: i32, %b: i32):
    tts.yield
  }
  return
}

// -----

func.func @empty(%x: tensor<8xi32>) {
  // expected-error @below {{expects a non-empty block}}
  %0 = "tts.scan"(%x) <{axis = 0 : i64}> ({
  ^bb0(%a: i32, %b: i32):
  }) : (tensor<8xi32>) -> tensor<8xi32>
  return
}

// -----

func.func @rows(%x: tensor<8xi32>) {
  // expected-error @below {{counts the elements of one row in one row, not those of 'tensor<8xi32>' in 'tensor<2x2xi32>'}}
  %0 = tts.histogram %x : tensor<8xi32> -> tensor<2x2xi32>
  return
}

// -----

func.func @mask(%x: tensor<8xi32>, %m: tensor<4xi1>) {
  // expected-error @below {{has a mask of type 'tensor<4xi1>' for a block of type 'tensor<8xi32>'}}
  %0 = tts.histogram %x mask %m : tensor<4xi1> : tensor<8xi32> -> tensor<4xi32>
  return
}
