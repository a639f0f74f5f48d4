! SPDX-License-Identifier: BSD-3-Clause
! The worked example of docs/routines.md in Fortran: each rank multiplies its own block where it lies.
module scale_routine
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    subroutine nga_distribution(handle, rank, low, high) bind(c, name="NGA_Distribution")
      import :: c_int
      integer(c_int), value :: handle, rank
      integer(c_int), intent(out) :: low(*), high(*)
    end subroutine
    subroutine nga_access(handle, low, high, block, strides) bind(c, name="NGA_Access")
      import :: c_int, c_ptr
      integer(c_int), value :: handle
      integer(c_int), intent(in) :: low(*), high(*)
      type(c_ptr), intent(out) :: block
      integer(c_int), intent(out) :: strides(*)
    end subroutine
    subroutine nga_release_update(handle, low, high) bind(c, name="NGA_Release_update")
      import :: c_int
      integer(c_int), value :: handle
      integer(c_int), intent(in) :: low(*), high(*)
    end subroutine
    integer(c_int) function ga_nodeid() bind(c, name="GA_Nodeid")
      import :: c_int
    end function
    integer(c_int) function ga_ndim(handle) bind(c, name="GA_Ndim")
      import :: c_int
      integer(c_int), value :: handle
    end function
  end interface
contains
  ! scale_by(x, factor): x is of float64, with any number of dimensions; blocks are dense.
  integer(c_int) function scale_by(arrays, handles, numbers, values) bind(c)
    integer(c_int), value :: arrays, numbers
    integer(c_int), intent(in) :: handles(*)
    real(c_double), intent(in) :: values(*)
    integer(c_int) :: low(7), high(7), strides(7), dims
    type(c_ptr) :: address
    real(c_double), pointer :: block(:)

    scale_by = 1
    if (arrays /= 1 .or. numbers /= 1) return
    dims = ga_ndim(handles(1))
    call nga_distribution(handles(1), ga_nodeid(), low, high)
    scale_by = 0
    if (any(high(1:dims) < low(1:dims))) return
    call nga_access(handles(1), low, high, address, strides)
    call c_f_pointer(address, block, [product(high(1:dims) - low(1:dims) + 1)])
    block = values(1) * block
    call nga_release_update(handles(1), low, high)
  end function
end module
